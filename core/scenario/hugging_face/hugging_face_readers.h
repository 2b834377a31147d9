#pragma once

#include "core/scenario/hugging_face/hugging_face_families.h"

namespace shardscope
{

// Sizes that nearly all families name alike.
void readSizes(const ConfigContext& context);
// The same but for the number of layers.
void readWidths(const ConfigContext& context);
// The longest sequence that the model can take is often far longer than what it is trained on: 4,096 then.
void readRotarySequence(const ConfigContext& context, std::string_view key = "max_position_embeddings");
// Sliding windows of attention. Pre: the family has been read.
void readWindows(const ConfigContext& context);
// Attention and MLP of a layer that computes both at once read one norm.
void readOneNorm(const ConfigContext& context);
// Biases of attention alone: of queries, keys and values.
void readAttentionBias(const ConfigContext& context);
// One MLP for all tokens beside the routed experts, as so many of their width, which `width_key` gives.
void readSharedWidth(const ConfigContext& context, std::string_view key, std::int64_t otherwise,
                     std::string_view width_key);

// Families with the products of GPT-2: an MLP of two matrices, mostly with biases.
void readGpt2(const ConfigContext& context);
void readGptNeoX(const ConfigContext& context);
void readBloom(const ConfigContext& context);
void readOpt(const ConfigContext& context);
void readGptBigCode(const ConfigContext& context);
void readMpt(const ConfigContext& context);
void readFalcon(const ConfigContext& context);
void readPhi(const ConfigContext& context);
void readStarCoder2(const ConfigContext& context);
void readBert(const ConfigContext& context);
void readT5(const ConfigContext& context);

// Families with the products of Llama: a gated MLP, norms without biases; some with experts.
void readLlama(const ConfigContext& context);
void readQwen2(const ConfigContext& context);
void readQwen3(const ConfigContext& context);
void readGemma(const ConfigContext& context);
void readGemma2(const ConfigContext& context);
void readGemma3(const ConfigContext& context);
void readMixtral(const ConfigContext& context);
void readQwen2Moe(const ConfigContext& context);
void readQwen3Moe(const ConfigContext& context);
void readDeepSeek(const ConfigContext& context);
void readStableLm(const ConfigContext& context);
void readOlmo(const ConfigContext& context);
void readOlmo2(const ConfigContext& context);
void readCohere(const ConfigContext& context);
void readInternLm2(const ConfigContext& context);
void readLlama4(const ConfigContext& context);
void readGptOss(const ConfigContext& context);
void readGlm4Moe(const ConfigContext& context);
void readDbrx(const ConfigContext& context);
void readPhiMoe(const ConfigContext& context);

// Families with recurrences in the place of attention in some layers, or in all of them.
void readNemotronH(const ConfigContext& context);
void readQwen3Next(const ConfigContext& context);
void readGraniteHybrid(const ConfigContext& context);
void readBamba(const ConfigContext& context);
void readMamba2(const ConfigContext& context);

} // namespace shardscope

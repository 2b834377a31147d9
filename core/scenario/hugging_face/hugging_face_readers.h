#pragma once

#include "core/scenario/hugging_face/hugging_face_families.h"

namespace shardscope
{

// Sizes that nearly all families name alike.
void readSizes(const ConfigContext& context);
// The longest sequence that the model can take is often far longer than what it is trained on: 4,096 then.
void readRotarySequence(const ConfigContext& context, std::string_view key = "max_position_embeddings");
// Sliding windows of attention. Pre: the family has been read.
void readWindows(const ConfigContext& context);
// Attention and MLP of a layer that computes both at once read one norm.
void readOneNorm(const ConfigContext& context);

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

} // namespace shardscope

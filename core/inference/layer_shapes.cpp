#include "core/inference/layer_shapes.h"

#include "core/inference/weight_product.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

namespace shardscope
{

namespace
{

constexpr std::int64_t widest_mlp = 16; // hidden widths; wider ones are of no transformer
constexpr std::int64_t narrowest_head = 8;

constexpr std::string_view norm_with_product = "_LayerNormLinear";
constexpr std::array<std::string_view, 3> layer_norms{"aten::layer_norm", "FusedLayerNormAffineFunction",
                                                      "FastLayerNormFN"};
constexpr std::array<std::string_view, 3> rms_norms{"aten::rms_norm", "FusedRMSNormAffineFunction",
                                                    "FusedRMSNormFunction"};
constexpr std::array<std::string_view, 4> norms_backward{
    "aten::native_layer_norm_backward", "FusedLayerNormAffineFunctionBackward",
    "FusedRMSNormAffineFunctionBackward", "_LayerNormLinearBackward"};
constexpr std::array<std::string_view, 2> look_ups{"aten::embedding", "aten::index"};
constexpr std::array<std::string_view, 4> score_products{"aten::matmul", "aten::bmm", "aten::baddbmm",
                                                         "aten::scaled_dot_product_attention"};
// What runs beneath PyTorch's own attention where it is fused: queries by heads, then by tokens.
constexpr std::array<std::string_view, 4> fused_by_heads{
    "aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_efficient_attention",
    "aten::_scaled_dot_product_cudnn_attention", "aten::_scaled_dot_product_flash_attention_for_cpu"};
// flash-attn's and Transformer Engine's: queries by tokens, then by heads.
constexpr std::array<std::string_view, 7> fused_by_tokens{
    "FlashAttnFunc",          "FlashAttnVarlenFunc",          "FlashAttnQKVPackedFunc",  "FusedAttnFunc",
    "AttnFuncWithCPAndKVP2P", "AttnFuncWithCPAndKVAllGather", "AttnFuncWithCPAndQKVOA2A"};

std::int64_t product(const Shape& shape, std::size_t count)
{
    return std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(count), std::int64_t{1},
                           std::multiplies<>{});
}

Precision precisionOf(std::string_view dtype)
{
    if (dtype.find("BFloat16") != std::string_view::npos)
        return Precision::bf16;
    return dtype.find("Half") != std::string_view::npos ? Precision::fp16 : Precision::fp32;
}

// Reads the layers out of the products with weights: how often each width was multiplied into each.
class LayerReader
{
public:
    explicit LayerReader(const std::vector<OperatorShape>& operators) : m_operators{operators} {}

    std::optional<LayerShapes> read()
    {
        m_has_router = hasRouter(m_operators);
        readNorms();
        readProducts();
        m_out.experts = expertShapes(m_operators, m_out.hidden_size);
        if (!(m_has_router ? findWidthsBesideExperts() : findWidths()))
            return std::nullopt;
        m_tokens_of_layer = m_tokens[{m_out.hidden_size, m_out.attention_width}];
        readEnds();
        readAttention();
        readFusedAttention();
        return m_out.sequence_length > 0 ? std::optional{m_out} : std::nullopt;
    }

private:
    using Weight = std::pair<std::int64_t, std::int64_t>; // out, in

    void readNorms()
    {
        for (const OperatorShape& one : m_operators) {
            const Shape& input = one.input(0);
            const bool with_product = one.name == norm_with_product; // input, scale, shift, weight
            const bool layer_norm = one.isOneOf(layer_norms) || (with_product && one.input(2).size() == 1);
            if ((layer_norm || with_product || one.isOneOf(rms_norms)) && input.size() >= 2) {
                m_out.norms += one.count;
                m_out.norms_repeated += one.repeated;
                m_out.norm = layer_norm ? Norm::layernorm : Norm::rmsnorm;
                m_out.norm_tokens = product(input, input.size() - 1);
                m_out.hidden_size = input.back();
            } else if (one.isOneOf(norms_backward)) {
                m_out.norms_backward += one.count + one.repeated;
            }
        }
    }

    void readProducts()
    {
        std::map<std::int64_t, std::int64_t> inputs;
        for (const OperatorShape& one : m_operators) {
            const auto product = weightProduct(one);
            if (!product || (m_has_router && isOfExperts(*product)))
                continue;
            const Weight weight{product->out, product->in};
            m_products[weight] += product->count;
            m_again[weight] += one.repeated;
            m_tokens[weight] = product->rows();
            inputs[weight.second] += product->count;
            m_out.linear_bias = m_out.linear_bias || product->bias;
            m_out.precision = precisionOf(one.dtype);
        }
        if (m_out.hidden_size == 0) // norms are no operators here: what most weights take in
            for (const auto& [width, count] : inputs)
                if (count > inputs[m_out.hidden_size])
                    m_out.hidden_size = width;
    }

    std::int64_t products(std::int64_t out, std::int64_t in) const
    {
        const auto found = m_products.find({out, in});
        return found == m_products.end() ? 0 : found->second;
    }

    std::int64_t productsAgain(std::int64_t out, std::int64_t in) const
    {
        const auto found = m_again.find({out, in});
        return found == m_again.end() ? 0 : found->second;
    }

    // What products take in that end in the hidden width, narrower ones first.
    std::vector<std::int64_t> widthsIntoHidden() const
    {
        std::vector<std::int64_t> widths;
        for (const auto& [weight, count] : m_products)
            if (weight.first == m_out.hidden_size)
                widths.push_back(weight.second);
        return widths;
    }

    // Two products of a layer end in the hidden width: the output projection's and the MLP's, the wider one.
    bool findWidths()
    {
        const std::int64_t h = m_out.hidden_size;
        const std::vector<std::int64_t> into_hidden = widthsIntoHidden();
        if (into_hidden.size() < 2)
            return false;
        m_out.attention_width = into_hidden.front();
        m_out.ffn_hidden_size = into_hidden.back();
        m_out.layer_passes = std::min(products(h, m_out.attention_width), products(h, m_out.ffn_hidden_size));
        m_out.mlp_passes = m_out.layer_passes;
        m_out.layer_passes_again = productsAgain(h, m_out.attention_width);
        return m_out.layer_passes > 0 && readMlp(m_out.layer_passes) && h % m_out.attention_width == 0
               && readKeys(m_out.layer_passes);
    }

    // Every layer has attention; an MLP stands where no experts are, or shared ones beside the others. The
    // output projection's product may be as wide as those of queries, or of keys and values too.
    bool findWidthsBesideExperts()
    {
        const std::int64_t h = m_out.hidden_size;
        const std::vector<std::int64_t> into_hidden = widthsIntoHidden();
        for (const std::int64_t width : into_hidden)
            for (const std::int64_t alike : {1, 2, 4}) {
                m_out.attention_width = width;
                m_out.layer_passes = products(h, width) / alike;
                m_out.layer_passes_again = productsAgain(h, width) / alike;
                if (h % width == 0 && m_out.layer_passes > 0 && readKeys(m_out.layer_passes))
                    return readMlpBesideExperts(into_hidden);
            }
        return false;
    }

    bool readMlpBesideExperts(const std::vector<std::int64_t>& into_hidden)
    {
        for (const std::int64_t width : into_hidden)
            if (width != m_out.attention_width)
                m_out.ffn_hidden_size = width;
        m_out.gated_mlp = m_out.experts->gated_mlp;
        m_out.mlp_passes = products(m_out.hidden_size, m_out.ffn_hidden_size);
        return m_out.mlp_passes == 0 || readMlp(m_out.mlp_passes);
    }

    // False: nothing leads into it.
    bool readMlp(std::int64_t passes)
    {
        const std::int64_t h = m_out.hidden_size;
        const std::int64_t f = m_out.ffn_hidden_size;
        const std::int64_t ups = products(f, h) - (f == h ? passes : 0);
        m_out.gated_mlp = ups >= 2 * passes || products(2 * f, h) >= passes;
        return f <= widest_mlp * h && (ups >= passes || m_out.gated_mlp);
    }

    // Queries, keys and values in one product, or each in its own. False: neither is there.
    bool readKeys(std::int64_t passes)
    {
        const std::int64_t h = m_out.hidden_size;
        const std::int64_t w = m_out.attention_width;
        const std::int64_t f = m_out.ffn_hidden_size;
        // As wide as the queries and apart from them: three products, and the output's where that is as wide.
        const bool alike = products(w, h) >= (w == h ? 4 : 3) * passes;
        m_out.kv_width = alike ? w : 0;
        for (const auto& [weight, count] : m_products) {
            const auto [out, in] = weight;
            if (in != h || count < passes || out == f || out == 2 * f)
                continue;
            if (out > w && out <= 3 * w && (out - w) % 2 == 0)
                m_out.kv_width = (out - w) / 2;
            else if (out < w && count >= 2 * passes)
                m_out.kv_width = out;
        }
        return m_out.kv_width > 0;
    }

    void readEnds()
    {
        readEmbedding("aten::embedding");
        // A framework may look words up in its own code; but behind a router tokens are looked up so too.
        if (!m_has_router || m_out.vocabulary == 0)
            readEmbedding("aten::index");
        const std::int64_t h = m_out.hidden_size;
        const std::int64_t qkv = m_out.attention_width + 2 * m_out.kv_width;
        for (const auto& [weight, count] : m_products) {
            const auto [out, in] = weight;
            const bool of_layer = out == qkv || out == m_out.attention_width || out == m_out.kv_width
                                  || out == m_out.ffn_hidden_size || out == 2 * m_out.ffn_hidden_size
                                  || out == h;
            if (in == h && (m_out.vocabulary > 0 ? out == m_out.vocabulary : !of_layer)) {
                m_out.vocabulary = out;
                m_out.heads = count;
            }
        }
    }

    void readEmbedding(std::string_view look_up)
    {
        for (const OperatorShape& one : m_operators) {
            const Shape& table = one.input(0);
            if (one.name != look_up || table.size() != 2 || table[1] != m_out.hidden_size
                || table[0] == m_tokens_of_layer) // an index into activations is none into words
                continue;
            if (table[0] > m_out.vocabulary) {
                m_out.vocabulary = table[0];
                m_out.embeddings = one.count;
            }
        }
    }

    // Scores are products of queries and keys: two sequences and a head's width.
    void readAttention()
    {
        for (const OperatorShape& one : m_operators) {
            const std::size_t first = one.name == "aten::baddbmm" ? 1 : 0; // what it adds to
            const Shape& queries = one.input(first);
            const Shape& keys = one.input(first + 1);
            const bool fused = one.name == "aten::scaled_dot_product_attention";
            if (!one.isOneOf(score_products) || queries.size() < 3 || keys.size() != queries.size())
                continue;
            const std::size_t last = queries.size() - 1;
            const std::int64_t width = queries[last];
            const bool scores = fused || (keys[last - 1] == width && keys[last] == queries[last - 1]);
            if (!scores || width < narrowest_head || m_out.attention_width % width != 0)
                continue;
            const std::int64_t heads = m_out.attention_width / width;
            const std::int64_t sequence = queries[last - 1];
            const std::int64_t batches = product(queries, last - 1);
            if (batches % heads == 0)
                setAttention(width, sequence, batches / heads);
        }
    }

    void readFusedAttention()
    {
        for (const OperatorShape& one : m_operators) {
            if (one.isOneOf(fused_by_heads)) {
                m_out.fused_attention = true; // scaled_dot_product_attention has told the sizes
                continue;
            }
            const auto queries =
                std::ranges::find_if(one.inputs, [](const Shape& shape) { return shape.size() >= 3; });
            if (!one.isOneOf(fused_by_tokens) || queries == one.inputs.end())
                continue;
            m_out.fused_attention = true;
            readQueriesByTokens(one, *queries);
        }
    }

    // Tokens, heads, width; or batch and tokens in either order before them, and three in between where
    // queries, keys and values are one. Packed sequences of any length say by their bounds how many they are.
    void readQueriesByTokens(const OperatorShape& one, const Shape& queries)
    {
        const std::int64_t width = queries.back();
        if (queries.size() > 3) {
            setAttention(width, std::max(queries[0], queries[1]), std::min(queries[0], queries[1]));
            return;
        }
        const auto bounds =
            std::ranges::find_if(one.inputs, [](const Shape& shape) { return shape.size() == 1; });
        const std::int64_t sequences = bounds == one.inputs.end() ? 1 : bounds->front() - 1;
        if (sequences > 0 && queries[0] % sequences == 0)
            setAttention(width, queries[0] / sequences, sequences);
    }

    // What fits the layer's other products.
    void setAttention(std::int64_t width, std::int64_t sequence, std::int64_t micro_batch)
    {
        if (width < narrowest_head || m_out.attention_width % width != 0
            || sequence * micro_batch != m_tokens_of_layer)
            return;
        m_out.head_dim = width;
        m_out.sequence_length = sequence;
        m_out.micro_batch_size = micro_batch;
    }

    const std::vector<OperatorShape>& m_operators;
    std::map<Weight, std::int64_t> m_products;
    std::map<Weight, std::int64_t> m_again; // of them, within the backward pass
    std::map<Weight, std::int64_t> m_tokens;
    bool m_has_router = false; // behind which isOfExperts() holds
    std::int64_t m_tokens_of_layer = 0;
    LayerShapes m_out;
};

} // namespace

std::vector<std::string_view> layerOperators()
{
    std::vector<std::string_view> names;
    const auto add = [&names](const auto& some) { names.insert(names.end(), some.begin(), some.end()); };
    add(weightProductOperators());
    add(expertOperators());
    add(layer_norms);
    add(rms_norms);
    add(norms_backward);
    add(look_ups);
    add(score_products);
    add(fused_by_heads);
    add(fused_by_tokens);
    return names;
}

std::optional<LayerShapes> layerShapes(const std::vector<OperatorShape>& operators)
{
    return LayerReader{operators}.read();
}

} // namespace shardscope

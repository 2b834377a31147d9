#include "core/scenario/figure_text.h"

#include "core/base/format.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/words.h"

#include <type_traits>

namespace shardscope
{

namespace
{

// A visitor of Fields that stops at one key.
class FigureFinder
{
public:
    explicit FigureFinder(std::string_view path) : m_path{path} {}

    template<class T>
    void operator()(std::string_view key, const T& member)
    {
        if constexpr (HasFields<T>)
            descend(key, member);
        else if (key == m_path)
            show(member);
    }

    std::string text;

private:
    template<class T>
    void descend(std::string_view key, const T& section)
    {
        if (m_path.size() <= key.size() || !m_path.starts_with(key) || m_path[key.size()] != '.')
            return;
        FigureFinder inner{m_path.substr(key.size() + 1)};
        Fields<T>::visit(inner, section);
        text = inner.text;
    }

    template<class T>
    void show(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            text = value ? "true" : "false";
        else if constexpr (std::is_integral_v<T>)
            text = std::to_string(value);
        else if constexpr (std::is_same_v<T, double>)
            text = formatPlain(value, 6);
        else if constexpr (std::is_same_v<T, std::string>)
            text = value;
        else if constexpr (HasWords<T>)
            text = word(value);
        else if constexpr (std::is_same_v<T, std::vector<LayerForm>>)
            text = layerPatternText(value);
    }

    std::string_view m_path;
};

template<class Section>
std::string find(const Section& section, std::string_view path)
{
    FigureFinder finder{path};
    Fields<Section>::visit(finder, section);
    return finder.text;
}

} // namespace

std::string figureText(const Model& model, std::string_view path)
{
    return find(model, path);
}

std::string figureText(const Cluster& cluster, std::string_view path)
{
    return find(cluster, path);
}

} // namespace shardscope

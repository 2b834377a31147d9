#include "widgets/panels/picture/explanation_html.h"

namespace shardscope
{

namespace
{

QString html(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped().replace('\n', "<br>");
}

} // namespace

QString explanationHtml(const Explanation& explanation)
{
    QString text = QString{"<p><b>%1</b></p>"}.arg(html(explanation.title));
    if (!explanation.why.empty())
        text += QString{"<p>%1</p>"}.arg(html(explanation.why));
    if (!explanation.formula.empty())
        text += QString{"<p>%1</p>"}.arg(html(explanation.formula));
    if (!explanation.with_values.empty())
        text += QString{"<p>%1</p>"}.arg(html(explanation.with_values));
    if (!explanation.parts.empty())
        text += QString{"<p>%1</p>"}.arg(html(explanation.parts));
    if (!explanation.gaps.empty())
        text += QString{"<p>%1</p>"}.arg(html(explanation.gaps));
    if (!explanation.source.empty())
        text += QString{"<p><i>%1</i></p>"}.arg(html(explanation.source));
    return text;
}

} // namespace shardscope

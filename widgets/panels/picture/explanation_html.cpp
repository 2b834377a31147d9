#include "widgets/panels/picture/explanation_html.h"

#include "widgets/session/shown_text.h"

#include <QStringList>

namespace shardscope
{

namespace
{

QString html(const std::string& text)
{
    return withUnbrokenNumbers(toQString(text)).toHtmlEscaped().replace('\n', "<br>");
}

// A paragraph for each line, whose second line stands in where it is long.
QString hangingLines(const std::string& text)
{
    QString all;
    for (const QString& line : html(text).split("<br>"))
        all +=
            QString{"<p style='margin-left:12px; text-indent:-12px; margin-top:%1px; margin-bottom:0'>%2</p>"}
                .arg(all.isEmpty() ? 12 : 0)
                .arg(line);
    return all;
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
        text += hangingLines(explanation.parts);
    if (!explanation.gaps.empty())
        text += hangingLines(explanation.gaps);
    if (!explanation.source.empty())
        text += QString{"<p><i>%1</i></p>"}.arg(html(explanation.source));
    return text;
}

} // namespace shardscope

#include "widgets/main_window/picture_caption.h"

#include "widgets/panels/picture/picture_panel.h"
#include "widgets/session/run_name.h"
#include "widgets/session/shown_text.h"

#include "core/report/scenario_line.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace shardscope
{

namespace
{

QString scenarioText(const PredictedScenario& predicted, const std::vector<Scenario>& variations,
                     const Presets* presets)
{
    return QString::fromStdString(scenarioLine(predicted.scenario, predicted.is_edited, variations, presets));
}

} // namespace

PictureCaption captionOf(const PicturePanel& panel, const Content& content, const Presets* presets)
{
    PictureCaption caption{panel.heading(), {}};
    const auto add = [&caption](const char* what, const QString& text) {
        caption.lines << QCoreApplication::translate("PictureCaption", what) + ": "
                             + withUnbrokenNumbers(text);
    };
    const PicturePanel::Sources sources = panel.sources();
    const PicturePanel::Variations variations = panel.variations();
    if (content.predicted && sources.predicted)
        add("Predicted", scenarioText(*content.predicted, variations.predicted, presets));
    if (content.pinned && sources.pinned)
        add("Pinned", scenarioText(*content.pinned, variations.pinned, presets));
    if (content.measured && sources.measured)
        add("Measured", runName(*content.measured));
    if (content.comparesRuns() && sources.pinned_run)
        add("Pinned run", runName(*content.pinned_run));
    return caption;
}

QString fileNameOf(const PictureCaption& caption)
{
    constexpr qsizetype most_letters = 60; // names with longer ones are cut by file dialogs
    static const QRegularExpression between{QStringLiteral(R"([^\p{L}\p{N}.]+)")};
    static const QRegularExpression apostrophes{QStringLiteral(R"(\.?['\x{2019}])")}; // "et al.'s"
    static const QRegularExpression dots{QStringLiteral(R"(\.+(?!\d))")}; // but for those of numbers
    QString words = caption.title.toLower();
    words.remove(apostrophes).replace(dots, QStringLiteral(" "));
    QString name;
    for (const QString& word : words.split(between, Qt::SkipEmptyParts)) {
        if (name.size() + word.size() >= most_letters)
            break;
        name += (name.isEmpty() ? QString{} : QStringLiteral("-")) + word;
    }
    return name.isEmpty() ? QStringLiteral("picture") : name;
}

} // namespace shardscope

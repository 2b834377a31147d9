#include "widgets/main_window/picture_caption.h"

#include "widgets/panels/picture/picture_panel.h"

#include "core/report/scenario_line.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace shardscope
{

namespace
{

QString scenarioText(const PredictedScenario& predicted, const std::vector<Scenario>& variations,
                     const Presets* presets)
{
    return QString::fromStdString(scenarioLine(predicted.scenario, predicted.is_edited, variations, presets));
}

// The folder that the run lies in, or its only file, and how many ranks it has; logs have none.
QString runText(const MeasuredRun& run)
{
    QString name;
    if (run.traces.files.size() == 1)
        name = QFileInfo{QString::fromStdString(run.traces.files.front().path)}.fileName();
    else if (!run.traces.files.empty())
        name = QFileInfo{QString::fromStdString(run.traces.files.front().path)}.dir().dirName();
    const std::size_t ranks = run.measurement.ranks.size();
    if (ranks == 0)
        return name;
    return QCoreApplication::translate("PictureCaption", ranks == 1 ? "%1, %2 rank" : "%1, %2 ranks")
        .arg(name, QString::number(ranks));
}

} // namespace

PictureCaption captionOf(const PicturePanel& panel, const Content& content, const Presets* presets)
{
    PictureCaption caption{panel.heading(), {}};
    const auto add = [&caption](const char* what, const QString& text) {
        caption.lines << QCoreApplication::translate("PictureCaption", what) + ": " + text;
    };
    const PicturePanel::Sources sources = panel.sources();
    const PicturePanel::Variations variations = panel.variations();
    if (content.predicted && sources.predicted)
        add("Predicted", scenarioText(*content.predicted, variations.predicted, presets));
    if (content.pinned && sources.pinned)
        add("Pinned", scenarioText(*content.pinned, variations.pinned, presets));
    if (content.measured && sources.measured)
        add("Measured", runText(*content.measured));
    return caption;
}

} // namespace shardscope

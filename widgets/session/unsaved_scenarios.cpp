#include "widgets/session/unsaved_scenarios.h"

#include "widgets/session/scenario_file.h"

#include "core/base/file.h"
#include "core/scenario/scenario_json.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

namespace shardscope
{

namespace
{

const QString time_format = QStringLiteral("yyyy-MM-dd HH-mm-ss-zzz"); // sorts as it passes

QDir folder()
{
    return QDir{QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/unsaved"};
}

// Two that cannot be read are not the same.
bool holdTheSame(const QString& one, const QString& other)
{
    const auto text = readFile(one.toStdString(), largest_scenario_bytes);
    const auto other_text = readFile(other.toStdString(), largest_scenario_bytes);
    return text && other_text && text.value() == other_text.value();
}

} // namespace

QList<UnsavedScenarios::Kept> UnsavedScenarios::all()
{
    QList<Kept> kept;
    const QDir place = folder();
    for (const QString& name :
         place.entryList({'*' + scenario_ending}, QDir::Files, QDir::Name | QDir::Reversed)) {
        const QDateTime time = QDateTime::fromString(name.chopped(scenario_ending.size()), time_format);
        if (time.isValid())
            kept << Kept{place.filePath(name), time};
    }
    return kept;
}

QString UnsavedScenarios::keep(const Scenario& scenario)
{
    QDir{}.mkpath(folder().path());
    const QString file =
        folder().filePath(QDateTime::currentDateTime().toString(time_format) + scenario_ending);
    const QList<Kept> older = all();
    if (!saveScenarioFile(file.toStdString(), scenario))
        return {};
    int count = 1;
    for (const Kept& each : older) {
        if (each.file != file && (count == capacity || holdTheSame(each.file, file)))
            QFile::remove(each.file);
        else
            ++count;
    }
    return file;
}

} // namespace shardscope

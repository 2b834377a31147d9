#include "widgets/session/scenario_file.h"

#include "core/base/resources.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace shardscope
{

namespace
{

const QByteArray gzip_magic = QByteArray::fromHex("1f8b");

bool hasAny(const QJsonObject& object, std::initializer_list<const char*> keys)
{
    return std::any_of(keys.begin(), keys.end(),
                       [&](const char* key) { return object.contains(QLatin1String{key}); });
}

} // namespace

bool isScenarioFile(const QString& path)
{
    const QFileInfo info{path};
    if (!info.isFile())
        return false;
    QFile file{path};
    const bool is_open = file.open(QIODevice::ReadOnly);
    if (is_open && file.peek(gzip_magic.size()) == gzip_magic) // a trace, whatever its name
        return false;
    if (info.fileName().endsWith(scenario_ending, Qt::CaseInsensitive))
        return true;
    if (info.size() > largest_scenario_bytes || !is_open)
        return false;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    if (!document.isObject())
        return false;
    const QJsonObject object = document.object();
    if (object.contains("model_type") && !object.contains("traceEvents"))
        return true; // the config.json of a model
    return hasAny(object, {"model", "training", "parallel", "conventions", "cluster", "time_model"})
           && !hasAny(object, {"traceEvents", "files", "ranks", "entries", "workload_graph", "nodes"});
}

bool isShipped(const QString& path)
{
    const QString file = QFileInfo{path}.canonicalFilePath();
    const auto lies = [&](const std::filesystem::path& folder) {
        const QString place = QFileInfo{QString::fromStdString(folder.string())}.canonicalFilePath();
        return !place.isEmpty() && file.startsWith(place + '/');
    };
    return lies(resourcesFolder()) || lies(sampleTracesFolder());
}

QString scenarioIn(const QString& folder)
{
    if (!QFileInfo{folder}.isDir())
        return {};
    const QDir directory{folder};
    const QStringList names = directory.entryList({'*' + scenario_ending}, QDir::Files);
    return names.size() == 1 ? directory.filePath(names.front()) : QString{};
}

} // namespace shardscope

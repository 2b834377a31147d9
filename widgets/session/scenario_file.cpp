#include "widgets/session/scenario_file.h"

#include "core/base/resources.h"
#include "core/scenario/scenario_json.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace shardscope
{

namespace
{

const QByteArray gzip_magic = QByteArray::fromHex("1f8b");

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
    if (!is_open || static_cast<std::uintmax_t>(info.size()) > largest_scenario_bytes)
        return false;
    return looksLikeScenario(file.readAll().toStdString());
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

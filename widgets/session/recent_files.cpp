#include "widgets/session/recent_files.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace shardscope
{

namespace
{

const QString settings_key = QStringLiteral("recent_files");

}

RecentFiles::RecentFiles(QObject* parent)
    : QObject{parent}, m_paths{QSettings{}.value(settings_key).toStringList()}
{
}

QStringList RecentFiles::paths() const
{
    QStringList existing;
    for (const QString& path : m_paths) {
        if (QFileInfo::exists(path))
            existing << path;
    }
    return existing;
}

void RecentFiles::add(const QString& path)
{
    const QString absolute = QDir::cleanPath(QFileInfo{path}.absoluteFilePath());
    m_paths = QSettings{}.value(settings_key).toStringList(); // another window may have added some
    m_paths.removeAll(absolute);
    m_paths.prepend(absolute);
    while (m_paths.size() > capacity)
        m_paths.removeLast();
    QSettings{}.setValue(settings_key, m_paths);
    emit changed();
}

void RecentFiles::clear()
{
    m_paths.clear();
    QSettings{}.remove(settings_key);
    emit changed();
}

} // namespace shardscope

#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace shardscope
{

// The files and folders opened last, newest first, kept in the program's settings.
class RecentFiles : public QObject
{
    Q_OBJECT
public:
    static constexpr int capacity = 10;

    explicit RecentFiles(QObject* parent = nullptr);

    // Only those that still exist.
    QStringList paths() const;
    void add(const QString& path);
    void clear();

signals:
    void changed();

private:
    QStringList m_paths;
};

} // namespace shardscope

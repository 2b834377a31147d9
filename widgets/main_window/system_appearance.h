#pragma once

#include <QDBusVariant>
#include <QObject>

namespace shardscope
{

// Asks the desktop whether it is dark, and hears when that changes: the color-scheme of the freedesktop
// settings portal, which GNOME, KDE and others answer. Says nothing where there is no portal.
class SystemAppearance : public QObject
{
    Q_OBJECT
public:
    explicit SystemAppearance(QObject* parent = nullptr);

signals:
    void changed(bool dark);

private slots:
    void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void tell(const QVariant& value);
};

} // namespace shardscope

#include "widgets/main_window/system_appearance.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace shardscope
{

namespace
{

const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString interface = QStringLiteral("org.freedesktop.portal.Settings");
const QString group_name = QStringLiteral("org.freedesktop.appearance");
const QString key_name = QStringLiteral("color-scheme");
constexpr uint prefers_dark = 1; // 0: no preference, 2: light

} // namespace

SystemAppearance::SystemAppearance(QObject* parent) : QObject{parent}
{
    // Without its address the library would try to start a bus of its own.
    if (!qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS"))
        return;
    QDBusConnection bus = QDBusConnection::sessionBus();
    bus.connect(service, path, interface, "SettingChanged", this,
                SLOT(settingChanged(QString, QString, QDBusVariant)));
    QDBusMessage question = QDBusMessage::createMethodCall(service, path, interface, "Read");
    question << group_name << key_name;
    auto* answer = new QDBusPendingCallWatcher{bus.asyncCall(question), this};
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        const QDBusPendingReply<QDBusVariant> reply = *answer;
        if (reply.isValid())
            tell(reply.value().variant());
        answer->deleteLater();
    });
}

void SystemAppearance::settingChanged(const QString& group, const QString& key, const QDBusVariant& value)
{
    if (group == group_name && key == key_name)
        tell(value.variant());
}

// Read wraps its answer in a second variant, the signal does not.
void SystemAppearance::tell(const QVariant& value)
{
    const QVariant inner = value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
    emit changed(inner.toUInt() == prefers_dark);
}

} // namespace shardscope

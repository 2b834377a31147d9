#include "widgets/main_window/launch_export_menu.h"

#include "widgets/main_window/save_question.h"
#include "widgets/session/session.h"

#include "core/report/launch/launch_export.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QSaveFile>

#include <array>
#include <string>

namespace shardscope
{

struct LaunchExportMenu::Format {
    const char* title;
    const char* file; // what a file of it is called
    Result<std::string> (*write)(const Scenario& scenario, const Presets& presets);
};

namespace
{

// Told where it runs, the script reads back as the scenario.
Result<std::string> megatronScript(const Scenario& scenario, const Presets& presets)
{
    Result<std::string> command = megatronArguments(scenario);
    return command ? Result<std::string>{clusterComment(scenario.cluster, presets) + command.value()}
                   : command;
}

} // namespace

LaunchExportMenu::LaunchExportMenu(Session& session, QWidget& window)
    : QObject{&window}, m_session{session}, m_window{window}
{
}

void LaunchExportMenu::addTo(QMenu& menu)
{
    static constexpr std::array formats{
        Format{"Megatron-LM arguments", "pretrain.sh", megatronScript},
        Format{"DeepSpeed configuration", "ds_config.json",
               [](const Scenario& scenario, const Presets&) { return deepSpeedConfig(scenario); }},
    };
    for (const Format& format : formats) {
        const QString title = QString::fromUtf8(format.title);
        menu.addAction(tr("Copy as %1").arg(title), this, [this, &format] { copy(format); });
        menu.addAction(tr("Save as %1...").arg(title), this, [this, &format] { save(format); });
    }
}

void LaunchExportMenu::copy(const Format& format)
{
    const Result<std::string> text = format.write(m_session.scenario(), m_session.presets());
    if (!text) {
        emit failed(QString::fromStdString(text.error().sentence));
        return;
    }
    QGuiApplication::clipboard()->setText(QString::fromStdString(text.value()));
    emit notified(tr("In the clipboard: %1. What has no equivalent is said in comments.")
                      .arg(QString::fromUtf8(format.title)));
}

void LaunchExportMenu::save(const Format& format)
{
    const Result<std::string> text = format.write(m_session.scenario(), m_session.presets());
    if (!text) {
        emit failed(QString::fromStdString(text.error().sentence));
        return;
    }
    const QString name = QString::fromUtf8(format.file);
    const QString path = askWhereToSave(&m_window, {tr("Save as %1").arg(QString::fromUtf8(format.title)),
                                                    QDir::home().filePath(name),
                                                    {'.' + QFileInfo{name}.suffix()},
                                                    {}});
    if (path.isEmpty())
        return;
    QSaveFile file{path};
    const QByteArray bytes = QByteArray::fromStdString(text.value());
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        emit notified(tr("%1 is written.").arg(QDir::toNativeSeparators(path)));
    else
        emit failed(tr("%1 cannot be written: %2").arg(QDir::toNativeSeparators(path), file.errorString()));
}

} // namespace shardscope

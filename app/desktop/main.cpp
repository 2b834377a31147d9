#include "app/desktop/command_line.h"
#include "app/desktop/screenshot.h"

#include "widgets/main_window/main_window.h"
#include "widgets/session/session.h"

#include "core/base/resources.h"

#include <QApplication>
#include <QSettings>

#include <cstdio>

namespace shardscope
{

namespace
{

int say(const Farewell& farewell)
{
    std::fputs(qPrintable(farewell.text), farewell.status == 0 ? stdout : stderr);
    return farewell.status;
}

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")
           || qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

// One panel fills the picture: the window takes its size from it.
int sizePanel(MainWindow& window, const CommandLine& line)
{
    QWidget* panel = window.panel(line.panel);
    if (!panel)
        return say({2, "shardscope: error: there is no panel " + line.panel + "; there are "
                           + window.panelNames().join(", ") + '\n'});
    panel->setFixedSize(line.size);
    return 0;
}

int run(QApplication& application, const CommandLine& line)
{
    const bool screenshot = !line.screenshot.isEmpty();
    const Appearance remembered =
        screenshot ? Appearance::system : appearanceFromWord(QSettings{}.value("appearance").toString());
    applyAppearance(line.theme.value_or(remembered));
    Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    const QString trouble = presets ? QString{} : QString::fromStdString(presets.error().sentence);
    MainWindow window{presets ? std::move(presets).value() : Presets{}, !screenshot};
    if (!trouble.isEmpty())
        emit window.session().failed(trouble);
    if (screenshot) {
        window.setMinimumSize(1, 1);
        window.resize(line.size);
        const int wrong = line.panel.isEmpty() ? 0 : sizePanel(window, line);
        if (wrong != 0)
            return wrong;
        new Screenshot{window, line.screenshot, line.panel};
    }
    window.show();
    if (line.paths.isEmpty())
        window.openFirstExample();
    else
        window.session().open(line.paths);
    return application.exec();
}

} // namespace

} // namespace shardscope

int main(int argc, char** argv)
{
    using namespace shardscope;
    QStringList arguments;
    for (int place = 0; place < argc; ++place)
        arguments << QString::fromLocal8Bit(argv[place]);
    const std::variant<CommandLine, Farewell> parsed = parseCommandLine(arguments);
    if (const auto* farewell = std::get_if<Farewell>(&parsed))
        return say(*farewell);
    const auto& line = std::get<CommandLine>(parsed);
    // The offscreen platform draws the same everywhere, whatever the display's window manager would do to the
    // size.
    if (!line.screenshot.isEmpty() && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!hasDisplay())
        return say({1, "shardscope: error: there is no display (DISPLAY and WAYLAND_DISPLAY are not set); "
                       "shardscope --screenshot OUT.png works without one\n"});
    int qt_argc = 1; // the arguments are ours
    QApplication application{qt_argc, argv};
    QApplication::setApplicationName("shardscope");
    QApplication::setOrganizationName("shardscope");
    QApplication::setApplicationVersion(SHARDSCOPE_VERSION);
    return run(application, line);
}

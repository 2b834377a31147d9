#include "app/desktop/command_line.h"
#include "app/desktop/screenshot.h"

#include "widgets/main_window/main_window.h"
#include "widgets/session/session.h"

#include "core/analysis/classification/own_rules.h"
#include "core/scenario/own_presets.h"

#include <QApplication>
#include <QSettings>

#include <cstdio>
#include <memory>
#include <utility>

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
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
           || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

int runWindow(Presets presets, const QString& trouble, const CommandLine& line)
{
    MainWindow window{std::move(presets), true};
    if (!trouble.isEmpty())
        window.messages().add(Severity::error, trouble);
    for (const std::string& problem : window.session().presets().problems())
        window.messages().add(Severity::error, QString::fromStdString(problem));
    if (const Result<ClassificationRules> rules = rulesInUse())
        window.session().setRules(rules.value());
    else
        window.messages().add(Severity::error, QString::fromStdString(rules.error().sentence));
    window.show();
    if (trouble.isEmpty() || !line.paths.isEmpty())
        window.begin(line.paths);
    return QApplication::exec();
}

// With --panel that panel becomes a window of its own, which is pictured; the main window serves it unseen.
int runScreenshot(Presets presets, const CommandLine& line)
{
    std::unique_ptr<QWidget> alone; // outlives the window that it came from
    MainWindow window{std::move(presets), false};
    QWidget* shown = line.panel.isEmpty() ? &window : window.panel(line.panel);
    if (!shown)
        return say({2, "shardscope: error: there is no panel " + line.panel + "; there are "
                           + window.panelNames().join(", ") + '\n'});
    if (shown != &window) {
        shown->setParent(nullptr);
        alone.reset(shown);
    }
    shown->setMinimumSize(1, 1);
    shown->resize(line.size);
    shown->show();
    const Screenshot screenshot{window, *shown, line.screenshot};
    window.begin(line.paths);
    return QApplication::exec();
}

int run(const CommandLine& line)
{
    const bool screenshot = !line.screenshot.isEmpty();
    const Appearance remembered =
        screenshot ? Appearance::system : appearanceFromWord(QSettings{}.value("appearance").toString());
    applyAppearance(line.theme.value_or(remembered));
    Result<Presets> presets = loadPresets();
    if (presets)
        return screenshot ? runScreenshot(std::move(presets).value(), line)
                          : runWindow(std::move(presets).value(), {}, line);
    const QString trouble = QString::fromStdString(presets.error().sentence);
    if (screenshot)
        return say({1, "shardscope: error: " + trouble + '\n'});
    return runWindow(Presets{}, trouble, line);
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
    if (!line.screenshot.isEmpty() && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!hasDisplay())
        return say({1, "shardscope: error: there is no display (DISPLAY and WAYLAND_DISPLAY are not set); "
                       "shardscope --screenshot OUT.png works without one\n"});
    int qt_argc = 1; // the arguments are ours
    const QApplication application{qt_argc, argv};
    QApplication::setApplicationName("shardscope");
    QApplication::setOrganizationName("shardscope");
    QApplication::setApplicationVersion(SHARDSCOPE_VERSION);
    return run(line);
}

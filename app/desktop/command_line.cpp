#include "app/desktop/command_line.h"

#include <QRegularExpression>

namespace shardscope
{

namespace
{

const QString help_text = QStringLiteral(
    "Usage: shardscope [OPTIONS] [FILE or FOLDER]...\nShows what distributed transformer training sends, "
    "stores and waits for.\nOpens scenarios (*.scenario.json) and traces; several traces, or a folder of "
    "them, are one run.\n\n  --screenshot OUT.png  save a picture of the window and exit; needs no display\n "
    " --panel NAME          with --screenshot: only this panel\n  --size WxH            with --screenshot: "
    "the size of the picture (1600x1000)\n  --theme light|dark    instead of what the system says\n  --help  "
    "              show this and exit\n  --version             show the version and exit\n");

Farewell wrongUsage(const QString& sentence)
{
    return {2, "shardscope: error: " + sentence + "; see shardscope --help\n"};
}

std::optional<QSize> sizeFromText(const QString& text)
{
    const QRegularExpressionMatch match = QRegularExpression{"^(\\d{2,5})x(\\d{2,5})$"}.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    return QSize{match.captured(1).toInt(), match.captured(2).toInt()};
}

// Puts the value of one option in its place. Answers what is wrong with it, or nothing.
QString take(CommandLine& line, const QString& option, const QString& value)
{
    if (option == "--screenshot") {
        line.screenshot = value;
    } else if (option == "--panel") {
        line.panel = value;
    } else if (option == "--size") {
        const std::optional<QSize> size = sizeFromText(value);
        if (!size)
            return "--size " + value + " is not a size such as 1600x1000";
        line.size = *size;
    } else {
        if (value != "light" && value != "dark")
            return "--theme " + value + " is neither light nor dark";
        line.theme = appearanceFromWord(value);
    }
    return {};
}

} // namespace

std::variant<CommandLine, Farewell> parseCommandLine(const QStringList& arguments)
{
    static const QStringList valued{"--screenshot", "--panel", "--size", "--theme"};
    CommandLine line;
    bool only_paths = false;
    for (qsizetype place = 1; place < arguments.size(); ++place) {
        const QString& argument = arguments[place];
        if (only_paths || !argument.startsWith('-') || argument == "-") {
            line.paths << argument;
            continue;
        }
        const QString option = argument.section('=', 0, 0);
        if (option == "--") {
            only_paths = true;
        } else if (option == "--help" || option == "-h") {
            return Farewell{0, help_text};
        } else if (option == "--version") {
            return Farewell{0, "shardscope " SHARDSCOPE_VERSION "\n"};
        } else if (!valued.contains(option)) {
            return wrongUsage("there is no option " + option);
        } else if (!argument.contains('=') && place + 1 == arguments.size()) {
            return wrongUsage(option + " needs a value");
        } else {
            const QString value = argument.contains('=') ? argument.section('=', 1) : arguments[++place];
            const QString wrong = take(line, option, value);
            if (!wrong.isEmpty())
                return wrongUsage(wrong);
        }
    }
    if (line.screenshot.isEmpty() && !line.panel.isEmpty())
        return wrongUsage("--panel goes with --screenshot");
    return line;
}

} // namespace shardscope

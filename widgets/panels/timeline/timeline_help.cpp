#include "widgets/panels/timeline/timeline_help.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>

#include <array>

namespace shardscope
{

namespace
{

struct Line {
    const char* keys;
    const char* what;
};

constexpr std::array<Line, 20> lines{{
    {"W S, + −", "zoom in and out at the mouse (W A S D by their place on the keyboard)"},
    {"A D, ← →", "pan; with Shift faster"},
    {"Ctrl+wheel", "zoom at the mouse"},
    {"wheel, ↑ ↓", "scroll lanes"},
    {"Shift+wheel, Shift+drag", "pan"},
    {"drag", "select a stretch of time: a table of what is in it"},
    {"click", "choose an event: its arguments, and who takes part in it"},
    {"double click", "let an event fill the screen"},
    {"F", "fit the selection, or all"},
    {"0, Home", "show all"},
    {"/", "search by name; Enter next, Shift+Enter previous"},
    {"[ ]", "along what belongs to the chosen event: launch and kernels, members of a collective, sender "
            "and receiver"},
    {"X", "the communication that is exposed longest, then the next; Shift+X back"},
    {"M", "bookmark the chosen event, the selection's edges or the mouse; flags tell the distance"},
    {", .", "previous and next bookmark"},
    {"Shift+M", "remove all bookmarks"},
    {"E C", "open and close all ranks; with Shift all groups"},
    {"Esc", "let go of what is chosen or selected"},
    {"right click", "read ranks in full of which only a digest was read"},
    {"?", "this help"},
}};

// A popup takes every key and click of the program, and a label would ignore them all: it closes on the
// first.
class KeySheet : public QLabel
{
public:
    explicit KeySheet(QWidget& over) : QLabel{timelineHelp(), &over, Qt::Popup}
    {
        setObjectName(QStringLiteral("keySheet"));
        setAttribute(Qt::WA_DeleteOnClose);
        setAutoFillBackground(true);
        setFrameStyle(QFrame::StyledPanel);
        setMargin(12);
    }

protected:
    // The key that opened it may still be held.
    void keyPressEvent(QKeyEvent* event) override
    {
        if (!event->isAutoRepeat())
            close();
    }
    void mousePressEvent(QMouseEvent*) override { close(); }
};

} // namespace

QString timelineHelp()
{
    QString rows;
    for (const Line& line : lines)
        rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(QString::fromUtf8(line.keys), QString::fromUtf8(line.what));
    return QStringLiteral("<table>%1</table>").arg(rows);
}

void showTimelineHelp(QWidget& over)
{
    auto* sheet = new KeySheet{over};
    sheet->adjustSize();
    sheet->move(over.mapToGlobal(over.rect().center()) - sheet->rect().center());
    sheet->show();
}

} // namespace shardscope

#include "widgets/main_window/about_dialog.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

namespace shardscope
{

namespace
{

void showText(QWidget* parent, const QString& title, const QString& html)
{
    auto* dialog = new QDialog{parent};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto* column = new QVBoxLayout{dialog};
    auto* text = new QLabel{html};
    text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    text->setOpenExternalLinks(true);
    text->setWordWrap(true);
    text->setMinimumWidth(420);
    column->addWidget(text);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    column->addWidget(buttons);
    dialog->show();
}

QString row(const char* keys, const char* what)
{
    return QString{"<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>"}.arg(keys, what);
}

} // namespace

void showAbout(QWidget* parent)
{
    showText(
        parent, QObject::tr("About Shardscope"),
        QObject::tr(
            "<h3>Shardscope %1</h3>"
            "<p>What distributed transformer training sends, stores and waits for: predicted from a "
            "scenario, "
            "and measured runs laid over it.</p>"
            "<p>Free software under the GNU General Public License, version 3 or later: you may use, study, "
            "share and change it; it comes without any warranty.</p>"
            "<p>Built with Qt %2, QCustomPlot, nlohmann_json, zlib, zstd and SQLite.</p>")
            .arg(QCoreApplication::applicationVersion(), qVersion()));
}

void showKeys(QWidget* parent)
{
    showText(parent, QObject::tr("Keys"),
             "<table>" + row("Tab, Shift+Tab", "from control to control")
                 + row("Arrows", "the slider's next stop") + row("Ctrl+Z, Ctrl+Shift+Z", "undo, redo")
                 + row("Ctrl+P, Ctrl+Shift+P", "pin the scenario, unpin it")
                 + row("F11, Esc", "enlarge the picture under the mouse, all pictures again")
                 + row("Ctrl+1 ... Ctrl+6", "enlarge a picture by its place")
                 + row("Esc", "nothing is selected any more")
                 + row("W S A D", "timeline: zoom in and out, left and right")
                 + row("Ctrl+wheel, wheel", "timeline and heatmap: zoom at the mouse, scroll")
                 + row("F, 0", "timeline: fit the selection, the whole run")
                 + row("Drag, Shift+drag", "timeline: select a range, pan")
                 + row("Ctrl+C, Ctrl+Shift+C", "copy data as CSV; messages as Markdown")
                 + row("Space or a click on a headline figure", "how it came about") + "</table>");
}

} // namespace shardscope

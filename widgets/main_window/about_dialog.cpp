#include "widgets/main_window/about_dialog.h"

#include "widgets/plots/kind_meaning.h"
#include "widgets/session/shown_text.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QScreen>
#include <QScrollBar>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// As wide as its longest line, as high as its text, and no larger than most of the screen: then it scrolls.
QTextBrowser* textOf(const QString& html, const QSize& screen)
{
    auto* text = new QTextBrowser;
    text->setFrameShape(QFrame::NoFrame);
    text->viewport()->setAutoFillBackground(false);
    text->setOpenExternalLinks(true);
    text->setHtml(html);
    constexpr int narrowest = 420;
    constexpr int widest = 640;
    constexpr int margin = 4;
    const int beside = text->verticalScrollBar()->sizeHint().width() + margin;
    QTextDocument* document = text->document();
    document->setTextWidth(
        std::clamp(static_cast<int>(std::ceil(document->idealWidth())), narrowest, widest));
    const QSize wished{static_cast<int>(document->textWidth()) + beside,
                       static_cast<int>(std::ceil(document->size().height())) + margin};
    text->setMinimumSize(wished.boundedTo(screen * 3 / 4));
    return text;
}

// A text that is there already comes to the front.
void showText(QWidget* parent, const QString& title, const QString& html)
{
    if (auto* shown = parent->findChild<QDialog*>(title)) {
        shown->raise();
        shown->activateWindow();
        return;
    }
    auto* dialog = new QDialog{parent};
    dialog->setObjectName(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto* column = new QVBoxLayout{dialog};
    column->addWidget(textOf(html, parent->screen()->availableSize()));
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    column->addWidget(buttons);
    dialog->show();
}

QString row(const QString& keys, const QString& what)
{
    return QString{"<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>"}.arg(keys, what);
}

QString kindRows()
{
    QString rows;
    for (const Kind kind : {Kind::tp, Kind::pp, Kind::dp, Kind::cp, Kind::ep, Kind::edp, Kind::emb, Kind::mp})
        rows += row(toQString(word(kind)), meaningOf(kind));
    return rows;
}

QString sizeRows()
{
    return row("p, t, d, c, ep", "ranks in the pipeline, tensor, data, context and expert dimension")
           + row("l, h, a, k, s", "layers, hidden size, heads, KV heads, sequence length")
           + row("dh, f", "width of a head, width of the feed-forward network")
           + row("V, Vp", "vocabulary; padded, so that the tensor ranks have equal parts of it")
           + row("b, gb, m", "micro-batch, global batch, micro-batches of a replica")
           + row("sequence, sample", "what a batch counts: of a model without tokens it is a sample")
           + row("v", "virtual stages: pieces of the model on each rank of the pipeline")
           + row("n", "ranks of a group, which take part in one collective")
           + row("e, g, K", "bytes of a number, of a gradient, of a parameter's optimizer states")
           + row("top-k", "experts that each token is sent to")
           + row("F, μ", "peak of a GPU, share of it that computing reaches");
}

QString figureRows()
{
    return row("bubble", "idle time of a stage: before its first backward pass, after its last forward pass, "
                         "and between them where a neighbour is not ready")
           + row("payload", "bytes of the tensors that a collective is given")
           + row("wire bytes", "bytes that a rank itself sends for them: on a ring 2 (n - 1) / n of an "
                               "all_reduce")
           + row("exposed, hidden", "communication that compute waits for; that which runs behind compute")
           + row("step", "what follows the passes: the gradient norm and the optimizer")
           + row("MFU, HFU", "share of the GPUs' peak that the model's operations reach; with repeated ones")
           + row("busbw", "bus bandwidth: bytes on the wire divided by time, as nccl-tests counts them")
           + row("ZeRO 0 to 3",
                 "what the ranks with the same weights share out: nothing, optimizer, gradients "
                 "too, weights too");
}

QString memoryRows()
{
    return row("recompute", "activations are not kept, but computed again in the backward pass")
           + row("regather", "inputs kept as shards are gathered again in the backward pass")
           + row("temporaries", "tensors at work when the stage is fullest")
           + row("buffers", "what the framework keeps all the time")
           + row("cached", "idle blocks that PyTorch's allocator keeps")
           + row("context", "CUDA's own memory and the buffers of NCCL");
}

QString titled(const QString& title, const QString& rows)
{
    return QString{"<p><b>%1</b></p><table>%2</table>"}.arg(title, rows);
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
            "<p>Built with Qt %2, QCustomPlot, nlohmann_json, toml++, zlib, zstd and SQLite.</p>")
            .arg(QCoreApplication::applicationVersion(), qVersion()));
}

void showGlossary(QWidget* parent)
{
    showText(parent, QObject::tr("Glossary"),
             "<p><b>Messages</b>, by what they are for</p><table>" + kindRows() + "</table>"
                 + titled("Sizes", sizeRows()) + titled("Figures", figureRows())
                 + titled("Memory", memoryRows()));
}

void showKeys(QWidget* parent)
{
    showText(
        parent, QObject::tr("Keys"),
        "<table>" + row("Tab, Shift+Tab", "from control to control") + row("Arrows", "the slider's next stop")
            + row("Arrows", "messages: choose a row")
            + row("Return, double click", "a row of messages or analysis: along its calls in the timeline")
            + row("Ctrl+Z, Ctrl+Shift+Z", "undo, redo")
            + row("Ctrl+P, Ctrl+Shift+P", "pin the scenario, unpin it")
            + row("Ctrl+F, Esc", "find a setting of the scenario, all settings again")
            + row("F11, Esc", "enlarge the picture under the mouse, all pictures again")
            + row("Ctrl+1 ... Ctrl+9", "enlarge a picture by its place in the menu View, Enlarge")
            + row("Esc", "nothing is selected any more")
            + row("W S A D", "timeline: zoom in and out, left and right")
            + row("Ctrl+wheel, wheel", "timeline and heatmap: zoom at the mouse, scroll")
            + row("F, 0", "timeline: fit the selection, the whole run; heatmap: 0, all ranks")
            + row("Drag, Shift+drag", "timeline: select a range, pan")
            + row("/, [ and ]", "timeline: search by name; along the calls of what is chosen")
            + row("?", "timeline: all of its keys")
            + row("Ctrl+N, Ctrl+O, Ctrl+S", "new scenario, open files, save the scenario")
            + row("Ctrl+C, Ctrl+Shift+C", "copy data as CSV; messages as Markdown")
            + row("Space or a click on a headline figure", "how it came about")
            + row("Click on the iteration", "how far predictions are off") + "</table>");
}

} // namespace shardscope

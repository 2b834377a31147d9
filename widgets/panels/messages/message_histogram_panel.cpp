#include "widgets/panels/messages/message_histogram_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/picture/legend_frame.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/picture/selection_steps.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include <QHBoxLayout>

#include <algorithm>

namespace shardscope
{

namespace
{

QString heightText(double value, HistogramHeight height)
{
    return height == HistogramHeight::bytes ? bytesText(value) : callsText(value);
}

} // namespace

MessageHistogramPanel::MessageHistogramPanel(QWidget* parent)
    : PicturePanel{parent},
      m_legend{new LegendChips{LegendChips::Use::buttons, this}},
      m_calls_button{
          toggleButton(QStringLiteral("calls"), QStringLiteral("Heights are numbers of calls"), this)},
      m_bytes_button{
          toggleButton(QStringLiteral("bytes"), QStringLiteral("Heights are bytes: calls times size"), this)},
      m_log_button{toggleButton(QStringLiteral("log"), QStringLiteral("Logarithmic heights"), this)},
      m_chart{new BarChart{Qt::Vertical, this}}
{
    auto* buttons = new QWidget{this};
    auto* row = new QHBoxLayout{buttons};
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_calls_button);
    row->addWidget(m_bytes_button);
    row->addSpacing(6);
    row->addWidget(m_log_button);
    layOutPicture(this, m_legend, {buttons}, m_chart);
    m_calls_button->setPlace(SegmentButton::Place::first);
    m_bytes_button->setPlace(SegmentButton::Place::last);
    m_calls_button->setAutoExclusive(true);
    m_bytes_button->setAutoExclusive(true);
    m_calls_button->setChecked(true);
    m_log_button->setChecked(m_is_logarithmic);
    m_chart->setAccessibleName(title());
    m_chart->setTip([this](int bar, int segment) { return tip(bar, segment); });
    connect(m_chart, &BarChart::activated, this, &MessageHistogramPanel::onActivated);
    connect(m_chart, &BarChart::hovered, this, [this](int bar, int segment) {
        emit statusWished(bar < 0 ? QString{} : sentence(bar, segment));
    });
    connect(m_legend, &LegendChips::clicked, this, [this](int kind) {
        emit selectionWished(withKindToggled(m_selection, static_cast<Kind>(kind)));
    });
    connect(m_bytes_button, &SegmentButton::toggled, this,
            [this](bool on) { setHeight(on ? HistogramHeight::bytes : HistogramHeight::count); });
    connect(m_log_button, &SegmentButton::toggled, this, &MessageHistogramPanel::setLogarithmic);
    refresh();
}

void MessageHistogramPanel::setContent(const Content& content)
{
    m_content = content;
    if (m_calls.run() != content.measured)
        m_calls = MeasuredCalls{content.measured};
    readContent();
    refresh();
}

void MessageHistogramPanel::setSelection(const Selection& selection)
{
    if (selection == m_selection)
        return;
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    if (is_other_rank)
        readContent();
    refresh();
}

void MessageHistogramPanel::setHeight(HistogramHeight height)
{
    m_height = height;
    (height == HistogramHeight::bytes ? m_bytes_button : m_calls_button)->setChecked(true);
    refresh();
}

void MessageHistogramPanel::setLogarithmic(bool is_logarithmic)
{
    m_is_logarithmic = is_logarithmic;
    m_log_button->setChecked(is_logarithmic);
    refresh();
}

void MessageHistogramPanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    shortenLegend(*this, *m_legend);
}

// The ranks that are compared: the selected one, else those that were read, else the world.
RankScope MessageHistogramPanel::scope() const
{
    return m_selection.rank ? RankScope::ofRank(*m_selection.rank) : RankScope::read();
}

void MessageHistogramPanel::readContent()
{
    const auto predictedBins = [this](const std::shared_ptr<const PredictedScenario>& predicted) {
        return predicted ? sizeBins(predictedCounts(*predicted, m_content.measured.get(), scope()))
                         : std::vector<SizeBin>{};
    };
    m_predicted = predictedBins(m_content.predicted);
    m_pinned = predictedBins(m_content.pinned);
    m_measured.clear();
    m_unknown_sizes = 0.0;
    if (!m_content.measured)
        return;
    std::vector<MessageCount> counts;
    for (const MeasuredCount& calls : m_calls.counts(m_content.predicted.get(), scope()))
        counts.push_back({calls.key, calls.count});
    m_measured = sizeBins(counts);
    m_unknown_sizes = countOfUnknownSize(counts);
}

void MessageHistogramPanel::refresh()
{
    updateLegend();
    m_chart->setScene(scene());
}

void MessageHistogramPanel::updateLegend()
{
    const Theme theme{palette()};
    const std::optional<Kind> marked = markedKind(m_selection);
    std::vector<LegendChip> chips;
    for (int i = 0; i < kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        const auto hasKind = [kind](const SizeBin& bin) {
            return bin.count[static_cast<std::size_t>(kind)] > 0.0;
        };
        if (std::any_of(m_predicted.begin(), m_predicted.end(), hasKind)
            || std::any_of(m_measured.begin(), m_measured.end(), hasKind))
            chips.push_back({.id = i,
                             .text = toQString(word(kind)),
                             .colour = theme.colour(kind),
                             .is_faded = marked && *marked != kind,
                             .is_marked = marked == kind});
    }
    if (!m_measured.empty())
        chips.push_back(
            {.id = -1, .text = QStringLiteral("measured"), .colour = theme.faintText(), .is_striped = true});
    if (!m_pinned.empty())
        chips.push_back(
            {.id = -1, .text = QStringLiteral("pinned"), .colour = theme.faintText(), .is_off = true});
    m_legend->setChips(std::move(chips));
}

QString MessageHistogramPanel::note() const
{
    if (!m_content.measured)
        return QStringLiteral("Open a trace to lay it over");
    const std::size_t read = m_content.measured->measurement.ranks.size();
    if (const std::size_t others = ranksOfNoPlace(); others > 0)
        return others == read ? QStringLiteral("not predicted")
                              : QStringLiteral("%1 of %2 ranks not predicted").arg(others).arg(read);
    if (m_unknown_sizes > 0.0)
        return QStringLiteral("%1 measured calls of unknown size are not shown")
            .arg(callsText(m_unknown_sizes));
    if (m_content.measured->is_forward_only)
        return QStringLiteral("only forward passes, as recorded");
    return {};
}

// Measured ones that a scenario of fewer GPUs does not have.
std::size_t MessageHistogramPanel::ranksOfNoPlace() const
{
    if (!m_content.predicted)
        return 0;
    return static_cast<std::size_t>(
        std::ranges::count_if(m_content.measured->measurement.ranks, [this](const RankMeasurement& rank) {
            return !stageOf(m_content.predicted->scenario, rank.rank);
        }));
}

QString MessageHistogramPanel::sentence(int bar, int segment) const
{
    const BarSource& source = m_sources[static_cast<std::size_t>(bar)];
    const SizeBin& bin = (source.is_measured ? m_measured : m_predicted)[source.bin];
    const Kind kind = source.kinds[static_cast<std::size_t>(segment)];
    return QStringLiteral("%1, %2, %3 to %4: %5")
        .arg(source.is_measured ? QStringLiteral("Measured") : QStringLiteral("Predicted"),
             toQString(word(kind)), bytesText(std::exp2(bin.exponent)),
             bytesText(std::exp2(bin.exponent + 1)),
             m_height == HistogramHeight::count
                 ? heightText(bin.height(m_height, kind), m_height) + QStringLiteral(" calls")
                 : heightText(bin.height(m_height, kind), m_height));
}

QString MessageHistogramPanel::tip(int bar, int segment) const
{
    const BarSource& source = m_sources[static_cast<std::size_t>(bar)];
    const SizeBin& bin = (source.is_measured ? m_measured : m_predicted)[source.bin];
    const Kind kind = source.kinds[static_cast<std::size_t>(segment)];
    QString text = QStringLiteral("<b>%1</b>").arg(sentence(bar, segment));
    constexpr int most_lines = 12;
    int lines = 0;
    for (const MessageCount& message : bin.messages) {
        if (message.key.kind != kind)
            continue;
        if (++lines > most_lines)
            continue;
        text += QStringLiteral("<br>%1 × %2 of %3 (%4 B)")
                    .arg(callsText(message.count), toQString(word(message.key.op)),
                         bytesText(static_cast<double>(message.key.message_bytes)),
                         groupedText(message.key.message_bytes));
    }
    if (lines > most_lines)
        text += QStringLiteral("<br>and %1 more").arg(lines - most_lines);
    return text;
}

// A segment of one message marks the message, one of several their kind.
void MessageHistogramPanel::onActivated(int bar, int segment)
{
    if (bar < 0) {
        emit selectionWished({});
        return;
    }
    const BarSource& source = m_sources[static_cast<std::size_t>(bar)];
    const SizeBin& bin = (source.is_measured ? m_measured : m_predicted)[source.bin];
    const Kind kind = source.kinds[static_cast<std::size_t>(segment)];
    std::vector<MessageKey> keys;
    for (const MessageCount& message : bin.messages)
        if (message.key.kind == kind)
            keys.push_back(message.key);
    emit selectionWished(keys.size() == 1 ? withMessageToggled(m_selection, keys.front())
                                          : withKindToggled(m_selection, kind));
}

QString MessageHistogramPanel::csv() const
{
    TableRows table{{"series", "kind", "op", "message_bytes", "count", "total_bytes"}};
    const auto append = [&](const QString& series, const std::vector<SizeBin>& bins) {
        for (const SizeBin& bin : bins)
            for (const MessageCount& message : bin.messages)
                table.push_back(
                    {series, toQString(word(message.key.kind)), toQString(word(message.key.op)),
                     QString::number(message.key.message_bytes), QString::number(message.count, 'g', 12),
                     QString::number(message.count * static_cast<double>(message.key.message_bytes), 'f',
                                     0)});
    };
    append(QStringLiteral("predicted"), m_predicted);
    append(QStringLiteral("pinned"), m_pinned);
    append(QStringLiteral("measured"), m_measured);
    return csvText(table);
}

void MessageHistogramPanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    BarScene kept = m_chart->scene();
    if (!m_content.measured) // what to open is for whoever sits at the window
        kept.note.clear();
    m_chart->paintTo(painter, paintLegendFrame(painter, rectangle, *m_legend), std::move(kept));
}

} // namespace shardscope

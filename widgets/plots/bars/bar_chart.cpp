#include "widgets/plots/bars/bar_chart.h"

#include "widgets/plots/bars/bar_captions.h"
#include "widgets/plots/bars/bar_painting.h"
#include "widgets/plots/bars/texts_above.h"

#include <QPicture>
#include <QToolTip>
#include <QVBoxLayout>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope
{

namespace
{

constexpr int least_lines_with_title = 8; // of the chart, for each but the first line of its title
constexpr int lines_for_each_of_label = 5;
constexpr double least_lines_of_bars = 3.5;
constexpr double least_lines_of_row = 2.2; // its caption, and the bar beneath

} // namespace

// Writes the labels of one axis: categories as the scene names them, values as axis_ticks finds them.
class BarChart::Ticker : public QCPAxisTicker
{
public:
    Ticker(const QCPAxis& axis, const BarScene& scene, bool is_category)
        : m_axis{axis}, m_scene{scene}, m_is_category{is_category}
    {
    }

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks,
                  QVector<double>* sub_ticks, QVector<QString>* labels) override
    {
        ticks.clear();
        if (sub_ticks)
            sub_ticks->clear();
        if (labels)
            labels->clear();
        const auto append = [&](double place, const QString& text) {
            ticks.append(place);
            if (labels)
                labels->append(text);
        };
        if (m_is_category) {
            for (const CategoryLabel& label :
                 thinnedLabels(m_scene, m_axis.tickLabelFont(), range.size(), pixels(), linesOfOneLabel()))
                append(label.position, label.text);
            return;
        }
        for (const AxisTick& tick : valueTicks())
            append(tick.value, tick.label);
    }

private:
    // Of the picture as it is now: ticks are asked for before the axes are laid out anew.
    int pixels() const
    {
        const QRect picture = m_axis.parentPlot()->viewport();
        const QMargins margins = m_axis.axisRect()->margins();
        return m_axis.orientation() == Qt::Horizontal ? picture.width() - margins.left() - margins.right()
                                                      : picture.height() - margins.top() - margins.bottom();
    }

    // A high chart can spare them.
    int linesOfOneLabel() const
    {
        const double lines =
            m_axis.parentPlot()->viewport().height() / QFontMetricsF{m_axis.tickLabelFont()}.height();
        return static_cast<int>(lines / lines_for_each_of_label);
    }

    std::vector<AxisTick> valueTicks() const
    {
        const QFontMetricsF metrics{m_axis.tickLabelFont()};
        const double room = m_axis.orientation() == Qt::Horizontal ? metrics.horizontalAdvance("888.8 MiB   ")
                                                                   : 1.5 * metrics.height();
        const int most = std::clamp(static_cast<int>(pixels() / room), 2, 8);
        return m_scene.is_logarithmic ? logTicks(m_scene.value_low, m_scene.value_high, m_scene.unit, most)
                                      : linearTicks(m_scene.value_high, m_scene.unit, most);
    }

    const QCPAxis& m_axis;
    const BarScene& m_scene;
    bool m_is_category;
};

// The bars within the plot: everything but the axes.
class BarChart::Layer : public QCPLayerable
{
public:
    Layer(QCustomPlot* plot, const BarChart& chart) : QCPLayerable(plot, "main"), m_chart{chart} {}

    // Where the scene's segments stand on the screen, or will at the next replot: never those of a scene
    // before it, never those of an export.
    std::vector<PlacedSegment> placed() const
    {
        const BarScene& scene = m_chart.m_scene;
        if (!scene.hint.isEmpty() || m_area.isEmpty())
            return {};
        return placeSegments(scene, mappingOf(scene, m_chart.m_orientation, m_area));
    }

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    QRect clipRect() const override { return parentPlot()->viewport(); }

    void draw(QCPPainter* painter) override
    {
        const BarScene& scene = m_chart.m_scene;
        const QRectF area = parentPlot()->axisRect()->rect();
        BarStyle style{Theme{m_chart.palette()}, pixelFont(m_chart.font())};
        style.is_vector = painter->modes().testFlag(QCPPainter::pmVectorized);
        style.note_lines = m_chart.m_note_lines;
        if (!scene.hint.isEmpty()) {
            painter->setPen(style.theme.faintText());
            painter->setFont(style.font);
            painter->drawText(QRectF{parentPlot()->viewport()}.adjusted(12, 8, -12, -8),
                              Qt::AlignCenter | Qt::TextWordWrap, scene.hint);
            return;
        }
        const BarMapping mapping = mappingOf(scene, m_chart.m_orientation, area);
        if (!style.is_vector) {
            m_area = area;
            style.highlighted_bar = m_chart.m_current_bar;
            style.highlighted_segment = m_chart.m_current_segment;
        }
        paintBars(*painter, scene, mapping, placeSegments(scene, mapping), style);
    }

private:
    const BarChart& m_chart;
    QRectF m_area; // of the plot on the screen
};

BarChart::BarChart(Qt::Orientation orientation, QWidget* parent)
    : QWidget{parent}, m_orientation{orientation}, m_plot{new QCustomPlot{this}}
{
    auto* layout = new QVBoxLayout{this};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_plot->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setPlottingHint(QCP::phCacheLabels, true);
    m_plot->setMinimumSize(0, 0);
    m_plot->plotLayout()->setRowSpacing(0);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);

    const bool is_vertical = orientation == Qt::Vertical;
    QCPAxis* category = is_vertical ? m_plot->xAxis : m_plot->yAxis;
    QCPAxis* value = is_vertical ? m_plot->yAxis : m_plot->xAxis;
    category->setTicker(QSharedPointer<Ticker>::create(*category, m_scene, true));
    value->setTicker(QSharedPointer<Ticker>::create(*value, m_scene, false));
    category->setRangeReversed(!is_vertical);
    category->grid()->setVisible(false);
    for (QCPAxis* axis : {category, value}) {
        axis->setSubTicks(false);
        axis->setTickLengthOut(3);
        axis->setTickLengthIn(0);
    }
    value->setTicks(true);
    m_layer = new Layer{m_plot, *this};
    connect(m_plot, &QCustomPlot::afterLayout, this, &BarChart::fitTexts);
    restyle();
}

BarChart::~BarChart() = default;

void BarChart::setScene(BarScene scene)
{
    m_scene = std::move(scene);
    const bool has_current = m_current_bar >= 0 && m_current_bar < static_cast<int>(m_scene.bars.size())
                             && m_current_segment < static_cast<int>(
                                    m_scene.bars[static_cast<std::size_t>(m_current_bar)].segments.size());
    if (!has_current) {
        m_current_bar = -1;
        m_current_segment = -1;
    }
    if (m_current_bar >= 0 && !std::exchange(m_is_tip_old, true))
        QToolTip::hideText();
    if (isVisible())
        adoptScene();
    else
        m_is_behind = true;
}

void BarChart::adoptScene()
{
    m_is_behind = false;
    const bool is_vertical = m_orientation == Qt::Vertical;
    QCPAxis* category = is_vertical ? m_plot->xAxis : m_plot->yAxis;
    QCPAxis* value = is_vertical ? m_plot->yAxis : m_plot->xAxis;
    const bool has_bars = m_scene.hint.isEmpty();
    category->setVisible(has_bars);
    value->setVisible(has_bars);
    value->setScaleType(m_scene.is_logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    value->setRange(m_scene.value_low, m_scene.value_high);
    category->setRange(m_scene.category_low, m_scene.category_high);
    category->setTicks(!m_scene.category_labels.empty());
    updateMargins(size());
    replotSoon();
}

// Above the area, where the chart is so high.
int BarChart::topMargin(int height, int note_lines) const
{
    const int line = static_cast<int>(std::ceil(QFontMetricsF{font()}.height()));
    const bool has_line_above =
        hasLineAbove(m_scene) || (m_scene.limit && m_scene.limit->value > m_scene.value_high);
    const int above = has_line_above ? std::max(1, note_lines) * line + 3 : 4;
    const int lines_below = 1 + linesOfLabels(m_scene); // the axis
    int top = above;
    // What stands over the area makes it lower, and so stands over it by more.
    for (int i = 0; i < 4 && m_orientation == Qt::Vertical; ++i)
        top =
            above
            + static_cast<int>(std::ceil(captionOverhang(m_scene, height - lines_below * line - top, line)));
    return top;
}

// What a picture is for are its bars: the note and the title give way to them first, then what stands over
// each.
void BarChart::leaveOutTexts(int height)
{
    const double line = QFontMetricsF{font()}.height();
    m_scene.leaves_out_note = m_scene.leaves_out_captions = false;
    const auto bars = [&] {
        const bool has_title = !m_scene.category_title.isEmpty() && !m_scene.leaves_out_note;
        constexpr double ticks = 10.0; // and the gaps around the labels
        return height - (linesOfLabels(m_scene) + (has_title ? 1 : 0)) * line - ticks - topMargin(height, 1);
    };
    if (m_orientation == Qt::Horizontal) {
        const double rows = m_scene.category_high - m_scene.category_low;
        m_scene.leaves_out_note = bars() < least_lines_of_row * line * rows;
        return;
    }
    m_scene.leaves_out_note = bars() < least_lines_of_bars * line;
    m_scene.leaves_out_captions = bars() < least_lines_of_bars * line;
}

void BarChart::updateMargins(const QSize& size)
{
    leaveOutTexts(size.height());
    const QFontMetricsF metrics{font()};
    const int top = topMargin(size.height(), m_note_lines);
    // Room for the half of a label that hangs over the end of a horizontal value axis.
    const int right = m_orientation == Qt::Vertical
                          ? 4 + static_cast<int>(std::ceil(labelOverhang(m_scene, font(), size.width())))
                          : static_cast<int>(metrics.horizontalAdvance("888 ms")) / 2 + 4;
    m_plot->axisRect()->setMinimumMargins(QMargins{8, top, right, 2});
}

// The room for the title and the note is known once the axes are laid out, so they are laid out again where
// one of them takes another number of lines.
void BarChart::fitTexts()
{
    const bool has_other_note = fitNote();
    if (!fitTitle() && !has_other_note)
        return;
    for (const auto phase :
         {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
        m_plot->plotLayout()->update(phase);
}

bool BarChart::fitNote()
{
    const QSize size = m_plot->viewport().size();
    const int lines = linesOfNote(m_scene, QFontMetricsF{font()}, m_plot->axisRect()->width(), size.height());
    if (std::exchange(m_note_lines, lines) == lines)
        return false;
    updateMargins(size);
    return true;
}

bool BarChart::fitTitle()
{
    const QRect area = m_plot->axisRect()->rect();
    const int room = m_orientation == Qt::Vertical ? area.width() : area.height();
    QCPAxis* category = m_orientation == Qt::Vertical ? m_plot->xAxis : m_plot->yAxis;
    const QFontMetricsF metrics{category->labelFont()};
    // A low chart needs its lines for the bars.
    const int spare =
        static_cast<int>(m_plot->viewport().height() / std::ceil(metrics.height())) / least_lines_with_title;
    const QString title = spare < 1 || m_scene.leaves_out_note
                              ? QString{}
                              : titleWithin(m_scene.category_title, metrics, room, 1 + spare);
    if (category->label() == title)
        return false;
    category->setLabel(title);
    return true;
}

void BarChart::restyle()
{
    const Theme theme{palette()};
    m_plot->setBackground(theme.background());
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setTickLabelFont(pixelFont(font()));
        axis->setLabelFont(pixelFont(font()));
        axis->setTickLabelColor(theme.faintText());
        axis->setLabelColor(theme.faintText());
        axis->setBasePen(QPen{theme.grid()});
        axis->setTickPen(QPen{theme.grid()});
        axis->grid()->setPen(QPen{theme.grid()});
        axis->grid()->setZeroLinePen(QPen{theme.grid()});
        axis->setLabelPadding(2);
        axis->setTickLabelPadding(3);
    }
    updateMargins(size());
}

void BarChart::replotSoon()
{
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

std::vector<PlacedSegment> BarChart::placed() const
{
    return m_layer->placed();
}

QRectF BarChart::segmentRectangle(int bar, int segment) const
{
    for (const PlacedSegment& placed : m_layer->placed())
        if (placed.bar == bar && placed.segment == segment)
            return placed.rectangle;
    return {};
}

void BarChart::paintTo(QPainter& painter, const QRectF& rectangle)
{
    adoptScene();
    updateMargins(rectangle.size().toSize());
    // A picture records vectors, so that any painter can play them: QCustomPlot's own begins on a device
    // alone.
    QPicture picture;
    QCPPainter recorder{&picture};
    recorder.setMode(QCPPainter::pmVectorized);
    m_plot->toPainter(&recorder, static_cast<int>(rectangle.width()), static_cast<int>(rectangle.height()));
    recorder.end();
    // Playing scales by the resolutions of the two devices; `rectangle` is in the painter's own units.
    painter.save();
    painter.translate(rectangle.topLeft());
    painter.scale(static_cast<double>(picture.logicalDpiX()) / painter.device()->logicalDpiX(),
                  static_cast<double>(picture.logicalDpiY()) / painter.device()->logicalDpiY());
    painter.drawPicture(0, 0, picture);
    painter.restore();
    updateMargins(size());
    replotSoon(); // drawing elsewhere has laid the axes out anew
}

void BarChart::paintTo(QPainter& painter, const QRectF& rectangle, BarScene scene)
{
    std::swap(m_scene, scene);
    paintTo(painter, rectangle);
    std::swap(m_scene, scene);
    adoptScene();
}

void BarChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // The plot, which has been resized before, has drawn itself with the older margins.
    const QMargins before = m_plot->axisRect()->minimumMargins();
    updateMargins(size());
    if (m_plot->axisRect()->minimumMargins() != before)
        replotSoon();
}

void BarChart::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_is_behind)
        adoptScene();
}

void BarChart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
        replotSoon();
    }
}

} // namespace shardscope

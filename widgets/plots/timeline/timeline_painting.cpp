#include "widgets/plots/timeline/timeline_painting.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::size_t most_names = 300;
constexpr std::ptrdiff_t most_numbers = 600;
constexpr int most_cached_labels = 4'000;
constexpr double least_label_width = 9.0; // of a number
constexpr int least_label_height = 10;
constexpr double number_margin = 2.0; // beside a label, both sides together
constexpr double name_margin = 6.0;
constexpr double tick_spacing = 90.0;

struct Label {
    QRectF place;
    const LaneStrip* strip = nullptr;
    const LaneBar* bar = nullptr;
    QString text;
};

bool isWider(const Label& a, const Label& b)
{
    return a.place.width() > b.place.width();
}

// Of bars with names the widest; of passes, which are numbered, all that could have room for a digit.
std::vector<Label> labelsWithRoom(const LaneArea& area, const std::vector<LaneStrip>& strips, double ratio)
{
    std::vector<Label> names;
    std::vector<Label> passes;
    for (const LaneStrip& strip : strips) {
        if (strip.height < least_label_height)
            continue;
        for (const LaneBar& bar : strip.picture.bars) {
            const int left = bar.left + bar.waiting; // the name stands where the transfer runs
            const double width = (bar.right - left) / ratio;
            if (width >= least_label_width)
                (isPass(bar.paint) ? passes : names)
                    .push_back({QRectF{area.place.left() + left / ratio,
                                       static_cast<double>(area.place.top() + strip.top - area.scroll), width,
                                       static_cast<double>(strip.height)},
                                &strip,
                                &bar,
                                {}});
        }
    }
    if (names.size() > most_names) {
        std::nth_element(names.begin(), names.begin() + most_names, names.end(), isWider);
        names.resize(most_names);
    }
    std::ranges::move(names, std::back_inserter(passes));
    return passes;
}

bool isNumbered(const Label& label)
{
    return isPass(label.bar->paint) && label.text.front().isDigit();
}

// Alike passes of a row differ by a pixel as drawn, and by a digit: all of them have their number, or none,
// so that none seems to be left out.
class NumbersOfRows
{
public:
    NumbersOfRows(const std::vector<Label>& labels, double letter) : m_letter{letter}
    {
        for (const Label& label : labels) {
            if (!isNumbered(label))
                continue;
            Row& row = m_rows[{label.strip, label.bar->paint}];
            row.narrowest = std::min(row.narrowest, label.place.width());
            row.widest = std::max(row.widest, label.place.width());
            row.letters = std::max(row.letters, label.text.size());
        }
    }

    bool haveRoom(const Label& label) const
    {
        constexpr double alike = 2.0; // pixels
        const Row& row = m_rows.at({label.strip, label.bar->paint});
        const bool are_alike = row.widest - row.narrowest <= alike;
        const double width = are_alike ? row.narrowest : label.place.width();
        const qsizetype letters = are_alike ? row.letters : label.text.size();
        return static_cast<double>(letters) * m_letter + number_margin <= width;
    }

private:
    struct Row {
        double narrowest = std::numeric_limits<double>::max();
        double widest = 0.0;
        qsizetype letters = 0;
    };
    std::map<std::pair<const LaneStrip*, LanePaint>, Row> m_rows;
    double m_letter;
};

// Every n-th micro-batch where there are too many to be read, or drawn in a frame.
int stepOfNumbers(const std::vector<Label>& labels, const NumbersOfRows& numbers)
{
    const auto shown = std::ranges::count_if(
        labels, [&](const Label& label) { return isNumbered(label) && numbers.haveRoom(label); });
    return static_cast<int>((shown + most_numbers - 1) / most_numbers);
}

// A number is whole or absent; a name may be cut.
QString fittingName(const Label& label, double letter)
{
    const auto letters = static_cast<qsizetype>((label.place.width() - name_margin) / letter);
    if (label.text.size() <= letters)
        return label.text;
    return letters < 4 ? QString{} : label.text.left(letters - 1) + QChar{0x2026};
}

// Dark or light, whichever can be read on a colour.
QColor readableOn(const QColor& ground)
{
    // Perceived brightness, ITU-R BT.601.
    const double brightness = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
    return brightness > 140.0 ? QColor{20, 22, 25} : QColor{250, 250, 250};
}

} // namespace

void LabelCache::draw(QPainter& painter, const QPointF& top_left, const QString& text)
{
    auto found = m_texts.find(text);
    if (found == m_texts.end()) {
        if (m_texts.size() >= most_cached_labels)
            m_texts.clear();
        QStaticText laid_out{text};
        laid_out.setTextFormat(Qt::PlainText);
        laid_out.setPerformanceHint(QStaticText::AggressiveCaching);
        found = m_texts.insert(text, laid_out);
    }
    painter.drawStaticText(top_left, *found);
}

void labelStrips(QPainter& painter, const LaneArea& area, const std::vector<LaneStrip>& strips,
                 const BarLabel& label, const TimelineStyle& style, LabelCache& cache)
{
    if (!label)
        return;
    painter.save();
    painter.setClipRect(area.place);
    painter.setFont(style.font);
    const QFontMetricsF metrics{style.font};
    const double letter = metrics.averageCharWidth();
    std::vector<Label> labels = labelsWithRoom(area, strips, style.pixel_ratio);
    for (Label& one : labels) {
        TimelineSpot spot = one.strip->row;
        spot.span = one.bar->span;
        one.text = label(spot);
    }
    std::erase_if(labels, [](const Label& one) { return one.text.isEmpty(); });
    const NumbersOfRows numbers{labels, letter};
    const int step = std::max(1, stepOfNumbers(labels, numbers));
    for (const Label& one : labels) {
        const bool is_number = isNumbered(one);
        const bool is_shown = !is_number || (numbers.haveRoom(one) && (one.text.toInt() - 1) % step == 0);
        const QString text = is_number ? one.text : fittingName(one, letter);
        if (!is_shown || text.isEmpty())
            continue;
        painter.setPen(one.strip->is_hidden
                           ? style.theme.text() // stripes are light and dark
                           : readableOn(style.colours[static_cast<std::size_t>(one.bar->paint)]));
        const double y = one.place.top() + (one.place.height() - metrics.height()) / 2.0;
        const double x = is_number ? one.place.center().x() - static_cast<double>(text.size()) * letter / 2.0
                                   : one.place.left() + 3.0;
        cache.draw(painter, {std::round(x), std::round(y)}, text);
    }
    painter.restore();
}

TimeTicks rulerTicks(const TimeRange& range, int width)
{
    return timeTicks(range, width, static_cast<int>(tick_spacing));
}

void paintRuler(QPainter& painter, const Ruler& ruler, const TimelineStyle& style)
{
    painter.save();
    painter.setFont(style.font);
    const QFontMetricsF metrics{style.font};
    painter.fillRect(
        QRect{0, ruler.place.top(), ruler.place.left() + ruler.place.width(), ruler.place.height()},
        blend(style.theme.background(), style.theme.text(), style.theme.isDark() ? 0.07 : 0.045));
    QFont strong = style.font;
    strong.setBold(true);
    painter.setFont(strong);
    painter.setPen(style.theme.text());
    const QRect title{6, ruler.place.top(), ruler.place.left() - 8, ruler.place.height()};
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF{strong}.elidedText(ruler.title, Qt::ElideRight, title.width()));
    painter.setFont(style.font);
    double right = ruler.place.left() + ruler.place.width();
    painter.setPen(style.theme.faintText());
    if (!ruler.note.isEmpty() && metrics.horizontalAdvance(ruler.note) < 0.6 * ruler.place.width()) {
        right -= metrics.horizontalAdvance(ruler.note) + 14.0;
        painter.drawText(ruler.place.adjusted(0, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, ruler.note);
    }
    double left = ruler.place.left();
    if (!ruler.ticks.base_label.empty()) {
        const QString base = QString::fromStdString(ruler.ticks.base_label);
        painter.drawText(ruler.place.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, base);
        left += metrics.horizontalAdvance(base) + 12.0;
    }
    for (const TimeTick& tick : ruler.ticks.ticks) {
        const auto x =
            ruler.place.left() + static_cast<int>(columnOf(tick.time_ns, ruler.range, ruler.place.width()));
        const QString text = QString::fromStdString(tick.label);
        painter.fillRect(QRect{x, ruler.place.bottom() - 3, 1, 4}, style.theme.faintText());
        if (x + 4.0 >= left && x + 4.0 + metrics.horizontalAdvance(text) < right)
            painter.drawText(QRectF{x + 4.0, static_cast<double>(ruler.place.top()), 200.0,
                                    static_cast<double>(ruler.place.height())},
                             Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    painter.restore();
}

void paintLaneTitle(QPainter& painter, const QRect& place, const LaneTitle& title, const TimelineStyle& style)
{
    if (title.is_heading && title.is_open)
        painter.fillRect(place, blend(style.theme.background(), style.theme.text(), 0.06));
    if (title.is_marked)
        painter.fillRect(QRect{place.left(), place.top(), 3, place.height()}, style.theme.text());
    double x = place.left() + 6.0 + title.indent;
    const double middle = place.top() + place.height() / 2.0;
    if (title.has_triangle) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.theme.faintText());
        const QPolygonF triangle =
            title.is_open
                ? QPolygonF{{QPointF{x, middle - 2.5}, {x + 7.0, middle - 2.5}, {x + 3.5, middle + 2.5}}}
                : QPolygonF{{QPointF{x + 1.0, middle - 3.5}, {x + 6.0, middle}, {x + 1.0, middle + 3.5}}};
        painter.drawPolygon(triangle);
        x += 11.0;
    }
    QFont font = style.font;
    font.setBold(title.is_marked || title.is_heading);
    painter.setFont(font);
    const QFontMetricsF metrics{font};
    const double room = place.left() + place.width() - 4.0 - x;
    painter.setPen(style.theme.text());
    const QString name = metrics.elidedText(title.name, Qt::ElideRight, room);
    painter.drawText(QRectF{x, static_cast<double>(place.top()), room, static_cast<double>(place.height())},
                     Qt::AlignLeft | Qt::AlignVCenter, name);
    const double rest = room - metrics.horizontalAdvance(name) - 6.0;
    painter.setFont(style.font);
    if (!title.remark.isEmpty() && rest >= QFontMetricsF{style.font}.horizontalAdvance(title.remark)) {
        painter.setPen(style.theme.faintText());
        painter.drawText(
            QRectF{x, static_cast<double>(place.top()), room, static_cast<double>(place.height())},
            Qt::AlignRight | Qt::AlignVCenter, title.remark);
    }
}

} // namespace shardscope

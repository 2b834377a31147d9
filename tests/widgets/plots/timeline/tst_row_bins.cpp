#include <QTest>

#include "core/trace/trace_builder.h"
#include "widgets/plots/timeline/trace_row.h"

#include <cmath>
#include <random>

using namespace shardscope;

namespace
{

constexpr int width = 700;
constexpr double grades = 2.0 / 16.0;
constexpr std::array<LanePaint, 4> paints{LanePaint::matrix, LanePaint::elementwise, LanePaint::memory,
                                          LanePaint::communication};

enum class Shape { even, bursts, pause, layers, instants };

// What differs from an even row: bursts with pauses between, one pause that is longer than all else, mixes of
// long and short events, events without a length.
TraceBuilder rowOf(Shape shape, int count)
{
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack("0", "7", true);
    std::mt19937 random{11};
    TraceTime now = 1'700'000'000'000'000'000;
    for (int i = 0; i < count; ++i) {
        auto duration = static_cast<TraceTime>(200 + random() % 3'000);
        auto pause = static_cast<TraceTime>(random() % 1'500);
        if (shape == Shape::bursts && i % 700 == 0)
            pause += 40'000'000;
        if (shape == Shape::pause && i == count / 3)
            pause += 60'000'000'000;
        if (shape == Shape::layers && i % 40 == 0)
            duration *= 100;
        if (shape == Shape::instants)
            duration = 0;
        builder.addEvent(track, now, duration, "p" + std::to_string(random() % paints.size()), "kernel");
        now += duration + pause;
    }
    return builder;
}

struct DrawnRow {
    std::shared_ptr<const TraceStore> store;
    EventPaints event_paints;
    std::vector<TraceRow> rows;

    explicit DrawnRow(TraceBuilder builder)
        : store{builder.finish()},
          event_paints{*store,
                       [this](EventIndex event) {
                           return paints[static_cast<std::size_t>(store->name(event).back() - '0')];
                       }},
          rows{TraceRow::rowsOf(*store, event_paints, store->tracks().front())}
    {
    }
    DrawnRow(const DrawnRow&) = delete;

    TimeRange part(double from, double share) const
    {
        const auto whole = static_cast<double>(store->lastEnd() - store->firstStart());
        return {store->firstStart() + static_cast<TraceTime>(whole * from),
                std::max<TraceTime>(width, static_cast<TraceTime>(whole * share))};
    }
};

double shareOf(int parts)
{
    return static_cast<double>(parts) / LaneColumns::whole;
}

// What is in a column, added up event by event.
struct ColumnTruth {
    double busy = 0.0; // share of it
    std::array<double, lane_paint_count> of_paint{};
    int events = 0;
    bool has_edge = false; // of an event that is as wide as a bar
};

// `fine` pieces for each column of the range.
std::vector<ColumnTruth> truthOf(const DrawnRow& row, const TimeRange& range, int fine)
{
    std::vector<ColumnTruth> pieces(static_cast<std::size_t>(width * fine));
    const double ns = static_cast<double>(range.length_ns) / static_cast<double>(pieces.size());
    for (std::uint32_t i = 0; i < row.store->size(); ++i) {
        const double from = static_cast<double>(row.store->start(EventIndex{i}) - range.start_ns) / ns;
        const double to = static_cast<double>(row.store->end(EventIndex{i}) - range.start_ns) / ns;
        const auto last = std::min(static_cast<double>(pieces.size()) - 1.0, std::floor(to));
        for (double p = std::max(0.0, std::floor(from)); p <= last; ++p) {
            ColumnTruth& piece = pieces[static_cast<std::size_t>(p)];
            const double share = std::max(0.0, std::min(to, p + 1.0) - std::max(from, p));
            piece.busy += share;
            piece.of_paint[static_cast<std::size_t>(row.event_paints.paint(i))] += share;
            piece.has_edge = piece.has_edge || (to - from >= 2.0 * fine && (p < from || p + 1.0 > to));
            ++piece.events;
        }
    }
    return pieces;
}

// How busy the least and the most busy half column are, at most a column beside a column.
std::pair<double, double> busyNear(const std::vector<ColumnTruth>& pieces, int fine, int column)
{
    std::pair<double, double> found{1.0, 0.0};
    const int half = fine / 2;
    for (int from = (column - 1) * fine; from + half <= (column + 2) * fine; ++from) {
        double busy = 0.0;
        for (int p = from; p < from + half; ++p)
            busy += pieces[static_cast<std::size_t>(p)].busy / half;
        found = {std::min(found.first, busy), std::max(found.second, busy)};
    }
    return found;
}

} // namespace

class TestRowBins : public QObject
{
    Q_OBJECT
private slots:
    void columnsAreThoseOfTheEvents_data()
    {
        QTest::addColumn<int>("shape");
        QTest::addColumn<int>("events");
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("share");
        const auto add = [](const char* name, Shape shape, int events, double from) {
            for (const double share : {1.0, 0.31, 0.1, 0.031, 0.01, 0.0031, 0.001, 0.0001})
                QTest::addRow("%s, %g of all", name, share)
                    << static_cast<int>(shape) << events << from * (1.0 - share) << share;
        };
        add("few for bins", Shape::even, 400, 0.4);
        add("even", Shape::even, 50'000, 0.4);
        add("even, to the end", Shape::even, 50'000, 1.0);
        add("bursts", Shape::bursts, 30'000, 0.4);
        add("before a pause", Shape::pause, 30'000, 0.0);
        add("behind a pause", Shape::pause, 30'000, 1.0);
        add("long and short", Shape::layers, 30'000, 0.7);
        add("instants", Shape::instants, 20'000, 0.4);
    }
    void columnsAreThoseOfTheEvents()
    {
        QFETCH(int, shape);
        QFETCH(int, events);
        QFETCH(double, from);
        QFETCH(double, share);
        const DrawnRow row{rowOf(static_cast<Shape>(shape), events)};
        const TimeRange range = row.part(from, share);
        LanePicture picture;
        row.rows.front().draw(range, width, picture);
        constexpr int fine = 8;
        const std::vector<ColumnTruth> pieces = truthOf(row, range, fine);
        const std::vector<ColumnTruth> truth = truthOf(row, range, 1);
        double error = 0.0;
        double paint_error = 0.0;
        for (int c = 1; c + 1 < width; ++c) {
            const auto at = static_cast<std::size_t>(c);
            const std::span near{truth.data() + at - 1, 3};
            const double fill = std::min(1.0, shareOf(picture.columns.filled(at)));
            // The edges of bars are sharp, so they are wrong by up to half a column.
            if (std::ranges::none_of(near, &ColumnTruth::has_edge)) {
                error += std::fabs(fill - truth[at].busy);
                const auto [least, most] = busyNear(pieces, fine, c);
                QVERIFY2(
                    fill >= least - grades && fill <= most + grades,
                    qPrintable(
                        QStringLiteral("column %1: %2, not %3 to %4").arg(c).arg(fill).arg(least).arg(most)));
            }
            // Bins stand up to half a column beside what is in them.
            for (std::size_t paint = 0; paint < lane_paint_count; ++paint)
                paint_error += std::fabs(shareOf(picture.columns.part(at, static_cast<LanePaint>(paint)))
                                         - truth[at].of_paint[paint]);
            QVERIFY2(picture.columns.isEmpty(at)
                         || std::ranges::any_of(near, [](const ColumnTruth& one) { return one.events > 0; }),
                     qPrintable(QStringLiteral("column %1 has nothing").arg(c)));
        }
        QVERIFY2(error / width < 0.1, qPrintable(QString::number(error / width)));
        QVERIFY2(paint_error / width < 0.3, qPrintable(QString::number(paint_error / width)));
    }

    // Of two that take turns the shorter does not vanish, however many share a column.
    void whatTakesTurnsHasItsShareAtEveryZoom_data()
    {
        QTest::addColumn<double>("share");
        for (const double share : {1.0, 0.3, 0.1, 0.03, 0.01})
            QTest::addRow("%g of all", share) << share;
    }
    void whatTakesTurnsHasItsShareAtEveryZoom()
    {
        QFETCH(double, share);
        TraceBuilder builder;
        const TrackIndex track = builder.addTrack("0", "7", true);
        for (int i = 0; i < 100'000; ++i) // in 3 us the one for 1, the other for 1.5
            builder.addEvent(track, 1'500 * i, i % 2 == 0 ? 1'000 : 1'500, i % 2 == 0 ? "p0" : "p1",
                             "kernel");
        const DrawnRow row{std::move(builder)};
        LanePicture picture;
        row.rows.front().draw(row.part(0.2 * (1.0 - share), share), width, picture);
        double first = 0.0;
        double second = 0.0;
        for (std::size_t column = 0; column < width; ++column) {
            first += shareOf(picture.columns.part(column, paints[0])) / width;
            second += shareOf(picture.columns.part(column, paints[1])) / width;
        }
        QVERIFY2(std::fabs(first - 1.0 / 3.0) < 0.03, qPrintable(QString::number(first)));
        QVERIFY2(std::fabs(second - 0.5) < 0.03, qPrintable(QString::number(second)));
    }

    void noEventIsLost_data() { columnsAreThoseOfTheEvents_data(); }
    void noEventIsLost()
    {
        QFETCH(int, shape);
        QFETCH(int, events);
        QFETCH(double, from);
        QFETCH(double, share);
        const DrawnRow row{rowOf(static_cast<Shape>(shape), events)};
        const TimeRange range = row.part(from, share);
        LanePicture picture;
        row.rows.front().draw(range, width, picture);
        for (std::uint32_t i = 0; i < row.store->size(); ++i) {
            const std::int64_t column = columnOf(row.store->start(EventIndex{i}), range, width);
            if (column < 1 || column >= width - 1)
                continue;
            const auto at = static_cast<std::size_t>(column);
            QVERIFY2(!picture.columns.isEmpty(at - 1) || !picture.columns.isEmpty(at)
                         || !picture.columns.isEmpty(at + 1),
                     qPrintable(QStringLiteral("event %1 at column %2").arg(i).arg(column)));
        }
    }

    void wideEventsAreBarsAtEveryZoom_data()
    {
        QTest::addColumn<double>("share");
        for (const double share : {0.3, 0.1, 0.03, 0.01, 0.003, 0.001})
            QTest::addRow("%g of all", share) << share;
    }
    void wideEventsAreBarsAtEveryZoom()
    {
        QFETCH(double, share);
        const DrawnRow row{rowOf(Shape::layers, 30'000)};
        const TimeRange range = row.part(0.3, share);
        LanePicture picture;
        row.rows.front().draw(range, width, picture);
        std::size_t wide = 0;
        for (std::uint32_t i = 0; i < row.store->size(); ++i) {
            const std::int64_t left = columnOf(row.store->start(EventIndex{i}), range, width);
            const std::int64_t right = columnOf(row.store->end(EventIndex{i}), range, width);
            if (left < 0 || right >= width || right - left < 6)
                continue;
            ++wide;
            const auto bar = std::ranges::find(picture.bars, i, &LaneBar::span);
            QVERIFY(bar != picture.bars.end());
            QVERIFY(std::abs(bar->left - left) <= 1 && std::abs(bar->right - right) <= 1);
            QCOMPARE(bar->paint, row.event_paints.paint(i));
            for (int column = bar->left + 1; column < bar->right - 1; ++column)
                QVERIFY(picture.columns.isOnly(static_cast<std::size_t>(column), bar->paint));
        }
        QVERIFY(wide > 0 || share > 0.1);
    }

    // Ranges of many minutes do not count single nanoseconds.
    void hoursAreDrawnLikeMilliseconds()
    {
        constexpr TraceTime slower = 1'000'000;
        constexpr TraceTime begin = 1'700'000'000'000'000'000;
        constexpr int events = 300;
        TraceBuilder fast_row;
        TraceBuilder slow_row;
        const TrackIndex fast = fast_row.addTrack("0", "7", true);
        const TrackIndex slow = slow_row.addTrack("0", "7", true);
        std::mt19937 random{5};
        TraceTime now = 0;
        for (int i = 0; i < events; ++i) {
            const auto duration = static_cast<TraceTime>(random() % 30'000);
            const std::string name = "p" + std::to_string(random() % paints.size());
            fast_row.addEvent(fast, begin + now, duration, name, "kernel");
            slow_row.addEvent(slow, begin + now * slower, duration * slower, name, "kernel");
            now += duration + static_cast<TraceTime>(random() % 5'000);
        }
        const DrawnRow milliseconds{std::move(fast_row)};
        const DrawnRow hours{std::move(slow_row)};
        LanePicture of_milliseconds;
        LanePicture of_hours;
        const TraceTime from = now / 7; // both edges cut an event
        const TraceTime length = now / 2;
        milliseconds.rows.front().draw({begin + from, length}, width, of_milliseconds);
        hours.rows.front().draw({begin + from * slower, length * slower}, width, of_hours);
        QVERIFY(of_milliseconds.bars.size() > 10);
        QVERIFY(of_hours.bars == of_milliseconds.bars);
        for (std::size_t column = 0; column < width; ++column)
            for (const LanePaint paint : paints)
                QVERIFY(std::abs(of_hours.columns.part(column, paint)
                                 - of_milliseconds.columns.part(column, paint))
                        <= 4);
    }

    void memoryForAnEventIsLittle_data()
    {
        QTest::addColumn<int>("shape");
        QTest::newRow("even") << static_cast<int>(Shape::even);
        QTest::newRow("bursts") << static_cast<int>(Shape::bursts);
        QTest::newRow("long and short") << static_cast<int>(Shape::layers);
    }
    void memoryForAnEventIsLittle()
    {
        QFETCH(int, shape);
        const int events = 100'000;
        const DrawnRow row{rowOf(static_cast<Shape>(shape), events)};
        const double bytes = static_cast<double>(row.rows.front().bytes()) / events;
        QVERIFY2(bytes < 8.0, qPrintable(QString::number(bytes)));
    }
};

QTEST_APPLESS_MAIN(TestRowBins)
#include "tst_row_bins.moc"

#include <QTest>

#include "widgets/plots/timeline/predicted_row.h"

using namespace shardscope;

namespace
{

constexpr TraceTime us = 1000;
constexpr auto tp = paintOf(Kind::tp);

PassPart part(double start_us, double length_us, bool is_message)
{
    PassPart result;
    result.start_s = start_us * 1e-6;
    result.duration_s = length_us * 1e-6;
    result.is_message = is_message;
    result.kind = Kind::tp;
    return result;
}

// Computes for 40 us, sends for 10, computes for 30, sends for 20.
const std::vector<PassPart>& pass()
{
    static const std::vector<PassPart> parts{part(0, 40, false), part(40, 10, true), part(50, 30, false),
                                             part(80, 20, true)};
    return parts;
}

PredictedRow::Patterns patterns(bool of_messages)
{
    auto result = std::make_shared<std::vector<PassPattern>>();
    result->push_back(
        patternOf(pass(), 100e-6, [of_messages](const PassPart& one) -> std::optional<LanePaint> {
            if (one.is_message != of_messages)
                return std::nullopt;
            return of_messages ? tp : LanePaint::forward;
        }));
    return result;
}

// A pass at 0 and one at 200 us, a message between stages at 150 us.
PredictedRow computing()
{
    PredictedRow row{patterns(false), PredictedRow::FromAfar::bar};
    row.add({0, 100 * us, LanePaint::forward, 0}, 0);
    row.add({200 * us, 100 * us, LanePaint::forward, 3}, 0);
    return row;
}

PredictedRow messages()
{
    PredictedRow row{patterns(true), PredictedRow::FromAfar::shares};
    row.add({0, 100 * us, LanePaint::forward, 0}, 0);
    row.add({150 * us, 10 * us, paintOf(Kind::pp), 2});
    row.add({200 * us, 100 * us, LanePaint::forward, 3}, 0);
    return row;
}

std::vector<std::pair<int, int>> barsOf(const PredictedRow& row, const TimeRange& range, int width)
{
    LanePicture picture;
    row.draw(range, width, picture);
    std::vector<std::pair<int, int>> bars;
    for (const LaneBar& bar : picture.bars)
        bars.emplace_back(bar.left, bar.right);
    return bars;
}

} // namespace

class TestPredictedRow : public QObject
{
    Q_OBJECT
private slots:
    void passesShowTheirPartsWhereThereIsRoom()
    {
        const TimeRange all{0, 300 * us};
        using Bars = std::vector<std::pair<int, int>>;
        QCOMPARE(barsOf(computing(), all, 300), (Bars{{0, 40}, {50, 80}, {200, 240}, {250, 280}}));
        QCOMPARE(barsOf(computing(), all, 15), (Bars{{0, 5}, {10, 15}}));
        QCOMPARE(barsOf(messages(), all, 300),
                 (Bars{{40, 50}, {80, 100}, {150, 160}, {240, 250}, {280, 300}}));
    }

    void fromAfarMessagesHaveTheirShareOfTheirPass()
    {
        LanePicture picture;
        messages().draw({0, 3000 * us}, 30, picture); // a pass is a column
        QVERIFY(picture.bars.empty());
        QCOMPARE(picture.columns.filled(0), picture.columns.part(0, tp));
        QVERIFY(std::abs(picture.columns.part(0, tp) - 0.3 * LaneColumns::whole) < 4.0); // 30 of 100
        QVERIFY(picture.columns.isEmpty(5));
    }

    void fromAfarEachKindHasItsOwnShare()
    {
        auto both = std::make_shared<std::vector<PassPattern>>();
        both->push_back(patternOf(pass(), 100e-6, [](const PassPart& one) -> std::optional<LanePaint> {
            return one.start_s < 60e-6 ? tp : paintOf(Kind::pp);
        }));
        PredictedRow row{both, PredictedRow::FromAfar::shares};
        row.add({0, 100 * us, LanePaint::forward, 0}, 0);
        LanePicture picture;
        row.draw({0, 3000 * us}, 30, picture);
        QVERIFY(std::abs(picture.columns.part(0, tp) - 0.8 * LaneColumns::whole) < 4.0);
        QVERIFY(std::abs(picture.columns.part(0, paintOf(Kind::pp)) - 0.2 * LaneColumns::whole) < 4.0);
    }

    // A stage whose passes are wider or have fewer parts waits for the others.
    void allPassesShowTheirPartsFromTheSameZoomOn()
    {
        auto two = std::make_shared<std::vector<PassPattern>>(*patterns(false));
        const std::vector<PassPart> few{part(0, 200, false), part(200, 200, false)};
        two->push_back(patternOf(few, 400e-6, [](const PassPart&) { return LanePaint::backward; }));
        PredictedRow wide{two, PredictedRow::FromAfar::bar};
        wide.add({0, 400 * us, LanePaint::backward, 0}, 1);
        PredictedRow narrow{two, PredictedRow::FromAfar::bar};
        narrow.add({0, 100 * us, LanePaint::forward, 0}, 0);
        for (const int width : {40, 60, 80, 120, 400}) {
            const TimeRange range{0, 400 * us};
            QCOMPARE(barsOf(wide, range, width).size(), barsOf(narrow, range, width).size());
        }
        QCOMPARE(barsOf(wide, {0, 400 * us}, 40).size(), std::size_t{1});
        QCOMPARE(barsOf(wide, {0, 400 * us}, 400).size(), std::size_t{2});
    }

    void theBarUnderAColumnIsTheOneThatIsDrawn()
    {
        const PredictedRow row = messages();
        const TimeRange all{0, 300 * us};
        const auto partAt = [&](int column) {
            const std::uint32_t bar = row.barAt(all, 300, column);
            return bar == no_span ? std::nullopt : row.part(bar);
        };
        QCOMPARE(partAt(45), std::optional<std::size_t>{1});
        QCOMPARE(partAt(285), std::optional<std::size_t>{3});
        QVERIFY(row.barAt(all, 300, 60) == no_span); // computes
        QVERIFY(!partAt(155));                       // no part of a pass
        const LaneSpan last = row.bar(row.barAt(all, 300, 285));
        QCOMPARE(last.start_ns, 280 * us);
        QCOMPARE(last.duration_ns, 20 * us);
        QCOMPARE(last.source, 3U);
        QVERIFY(last.paint == tp);
        QVERIFY(!row.part(row.barAt({0, 30'000 * us}, 300, 0))); // the whole pass
    }

    void everyBarIsVisitedOnce()
    {
        std::vector<TraceTime> starts;
        const PredictedRow row = messages();
        row.forEachBar({0, 300 * us}, true,
                       [&](std::uint32_t bar) { starts.push_back(row.bar(bar).start_ns); });
        QCOMPARE(starts, (std::vector<TraceTime>{40 * us, 80 * us, 150 * us, 240 * us, 280 * us}));
        QCOMPARE(row.partCount({0, 300 * us}), std::size_t{5});
        QCOMPARE(row.barOf(3), 2U);
        QVERIFY(row.barOf(1) == no_span);
    }

    void durationsAreCutAtTheEdges()
    {
        const auto sum = [](const PredictedRow& row, const TimeRange& range, LanePaint paint) {
            PaintDurations durations{};
            row.addDurations(range, durations);
            return durations[static_cast<std::size_t>(paint)];
        };
        QCOMPARE(sum(messages(), {0, 300 * us}, tp), 60 * us);
        QCOMPARE(sum(messages(), {45 * us, 40 * us}, tp), 10 * us);
        QCOMPARE(sum(computing(), {30 * us, 30 * us}, LanePaint::forward), 20 * us);
        QCOMPARE(sum(messages(), {155 * us, 100 * us}, paintOf(Kind::pp)), 5 * us);
    }
};

QTEST_APPLESS_MAIN(TestPredictedRow)
#include "tst_predicted_row.moc"

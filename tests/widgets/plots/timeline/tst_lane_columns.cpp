#include <QTest>

#include "widgets/plots/timeline/lane_columns.h"

using namespace shardscope;

namespace
{

constexpr int whole = LaneColumns::whole;
constexpr LanePaint tp = paintOf(Kind::tp);
constexpr LanePaint matrix = LanePaint::matrix;
constexpr LanePaint memory = LanePaint::memory;

PaintSet allPaints()
{
    PaintSet all;
    for (int i = 0; i < lane_paint_count; ++i)
        all.insert(static_cast<LanePaint>(i));
    return all;
}

} // namespace

class TestLaneColumns : public QObject
{
    Q_OBJECT
private slots:
    void whatIsCoveredIsInItsColumns_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::newRow("within one") << 3 * whole + 100 << 3 * whole + 101;
        QTest::newRow("to the edge") << 3 * whole + 100 << 4 * whole;
        QTest::newRow("over an edge") << 3 * whole + 1000 << 4 * whole + 1;
        QTest::newRow("over some") << 3 * whole + 1000 << 7 * whole + 10;
        QTest::newRow("as many as are written at once") << 100 << 9 * whole;
        QTest::newRow("over very many") << 100 << 18 * whole + 512;
    }
    void whatIsCoveredIsInItsColumns()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        LaneColumns columns{20};
        columns.cover(from, to, tp);
        for (int column = 0; column < 20; ++column) {
            const int begin = std::max(from, column * whole);
            const int end = std::min(to, (column + 1) * whole);
            QCOMPARE(columns.part(static_cast<std::size_t>(column), tp), std::max(0, end - begin));
        }
    }

    void eachPaintHasItsPart()
    {
        LaneColumns columns{4};
        columns.cover(whole, whole + 100, tp);
        columns.cover(whole + 100, whole + 400, memory);
        columns.cover(whole + 400, whole + 450, tp);
        QCOMPARE(columns.part(1, tp), 150);
        QCOMPARE(columns.part(1, memory), 300);
        QCOMPARE(columns.filled(1), 450);
        QVERIFY(columns.isEmpty(0) && columns.isEmpty(2));
        QVERIFY(columns.of(matrix).empty());
    }

    // The inner one is part of the outer one's time.
    void nestedOnesTakeThePlaceOfWhatIsAroundThem()
    {
        LaneColumns outer{2};
        outer.cover(0, 800, matrix);
        LaneColumns inner{2};
        inner.cover(100, 300, tp);
        outer.layOver(inner, allPaints(), LaneColumns::Meeting::nested);
        QCOMPARE(outer.part(0, matrix), 600);
        QCOMPARE(outer.part(0, tp), 200);
    }

    void thoseThatMeetByChanceOverlapByTheirShares()
    {
        LaneColumns stream{2};
        stream.cover(0, whole / 2, matrix);
        LaneColumns other{2};
        other.cover(0, whole / 4, tp);
        stream.layOver(other, allPaints(), LaneColumns::Meeting::by_chance);
        QCOMPARE(stream.part(0, matrix), whole * 3 / 8);
        QCOMPARE(stream.part(0, tp), whole / 4);
    }

    void onlyThePaintsAskedForAreLaidOver()
    {
        LaneColumns columns{1};
        LaneColumns other{1};
        other.cover(0, 300, tp);
        other.cover(300, 700, memory);
        PaintSet of_memory;
        of_memory.insert(memory);
        columns.layOver(other, of_memory, LaneColumns::Meeting::nested);
        QCOMPARE(columns.filled(0), 400);
        QCOMPARE(columns.part(0, tp), 0);
    }

    void waitingIsOfWhatIsOnTop()
    {
        LaneColumns below{3};
        below.fill(0, 3, tp);
        below.setWaiting(0);
        below.setWaiting(1);
        LaneColumns above{3};
        above.fill(1, 3, tp);
        above.setWaiting(2);
        below.layOver(above, allPaints(), LaneColumns::Meeting::by_chance);
        QVERIFY(below.waits(0) && !below.waits(1) && below.waits(2));
    }

    void clearedColumnsAreEmpty()
    {
        LaneColumns columns{3};
        columns.fill(0, 3, tp);
        columns.setWaiting(1);
        columns.clear(5);
        QCOMPARE(columns.size(), std::size_t{5});
        QVERIFY(columns.paints().isEmpty() && !columns.haveWaits() && columns.isEmpty(4));
    }
};

QTEST_APPLESS_MAIN(TestLaneColumns)
#include "tst_lane_columns.moc"

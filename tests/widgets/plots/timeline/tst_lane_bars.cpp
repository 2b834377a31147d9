#include <QTest>

#include "widgets/plots/timeline/lane_bars.h"

using namespace shardscope;

namespace
{

// The picture of spans in order of their start that do not overlap.
void drawSpans(std::span<const LaneSpan> spans, const TimeRange& range, int width, LanePicture& picture)
{
    PictureWriter writer{range, width, picture};
    for (std::size_t i = firstEndingAfter(spans, range.start_ns);
         i < spans.size() && spans[i].start_ns < range.end_ns(); ++i)
        writer.add(spans[i].start_ns, spans[i].end_ns(), spans[i].paint, static_cast<std::uint32_t>(i));
    writer.finish();
}

} // namespace

class TestLaneBars : public QObject
{
    Q_OBJECT
private slots:
    void spansBecomeColumnsAndBars_data()
    {
        QTest::addColumn<std::vector<LaneSpan>>("spans");
        QTest::addColumn<QString>("columns"); // in percent
        QTest::addColumn<std::vector<LaneBar>>("bars");
        using Spans = std::vector<LaneSpan>;
        using Bars = std::vector<LaneBar>;
        const LanePaint tp = paintOf(Kind::tp);
        const LanePaint compute = LanePaint::compute;
        // On screen: 100 columns of 10 ns.
        QTest::newRow("nothing") << Spans{} << "" << Bars{};
        QTest::newRow("a wide one is a bar of its own")
            << Spans{{100, 50, tp, 0}} << "10-15 tp 100; " << Bars{{10, 15, tp, 0}};
        QTest::newRow("neighbours share an edge")
            << Spans{{100, 55, tp, 0}, {155, 45, compute, 0}} << "10-16 tp 100; 16-20 compute 100; "
            << Bars{{10, 16, tp, 0}, {16, 20, compute, 1}};
        QTest::newRow("cut at the edges of the screen")
            << Spans{{-500, 600, tp, 0}, {900, 5000, compute, 0}} << "0-10 tp 100; 90-100 compute 100; "
            << Bars{{0, 10, tp, 0}, {90, 100, compute, 1}};
        QTest::newRow("outside of the screen")
            << Spans{{-500, 100, tp, 0}, {1000, 5000, tp, 0}} << "" << Bars{};
        QTest::newRow("short ones in a column have each its share")
            << Spans{{100, 2, tp, 0}, {103, 4, compute, 0}} << "10-11 compute 40 tp 20; " << Bars{};
        QTest::newRow("two pieces of one paint are one share")
            << Spans{{100, 2, tp, 0}, {102, 3, compute, 0}, {105, 3, tp, 0}} << "10-11 compute 30 tp 50; "
            << Bars{};
        QTest::newRow("a short one across an edge is in both columns")
            << Spans{{105, 10, tp, 0}} << "10-12 tp 50; " << Bars{};
        QTest::newRow("a short one around a column fills it")
            << Spans{{105, 19, tp, 0}} << "10-11 tp 50; 11-12 tp 100; 12-13 tp 40; " << Bars{};
        QTest::newRow("an instant is there") << Spans{{333, 0, tp, 0}} << "33-34 tp 0; " << Bars{};
        QTest::newRow("equal columns are one run")
            << Spans{{0, 10, tp, 0}, {10, 10, tp, 0}, {20, 10, tp, 0}} << "0-3 tp 100; " << Bars{};
        QTest::newRow("a column at the edge of a bar is shared")
            << Spans{{98, 6, compute, 0}, {104, 52, tp, 0}, {156, 4, compute, 0}}
            << "9-10 compute 20; 10-11 compute 40 tp 60; 11-15 tp 100; 15-16 compute 40 tp 60; "
            << Bars{{10, 16, tp, 1}};
        QTest::newRow("a bar beside a short one of its paint fills their column")
            << Spans{{98, 6, tp, 0}, {104, 52, tp, 0}} << "9-10 tp 20; 10-16 tp 100; "
            << Bars{{10, 16, tp, 1}};
        QTest::newRow("one of three columns leaves others theirs")
            << Spans{{100, 4, compute, 0}, {104, 30, tp, 0}, {134, 5, compute, 0}}
            << "10-11 compute 40 tp 60; 11-13 tp 100; 13-14 compute 50 tp 40; " << Bars{};
    }
    void spansBecomeColumnsAndBars()
    {
        QFETCH(std::vector<LaneSpan>, spans);
        QFETCH(std::vector<LaneBar>, bars);
        LanePicture picture;
        drawSpans(spans, {0, 1000}, 100, picture);
        QCOMPARE(picture.columns.size(), std::size_t{100});
        QTEST(textOf(runsOf(picture.columns)), "columns");
        QCOMPARE(textOf(picture.bars), textOf(bars));
    }

    void barsOfOneColourAreToldApart()
    {
        const LanePaint tp = paintOf(Kind::tp);
        const std::vector<LaneSpan> spans{{100, 60, tp, 0}, {160, 60, tp, 0}, {220, 30, tp, 0}};
        LanePicture picture;
        drawSpans(spans, {0, 1000}, 100, picture);
        partBars(picture);
        // The last one is too narrow to lose a pixel.
        QCOMPARE(textOf(runsOf(picture.columns)), QString{"10-15 tp 100; 16-21 tp 100; 22-25 tp 100; "});
    }

    // Wherever in a pixel they meet, with less than a pixel between them or none.
    void barsOfOtherColoursLeaveNoGroundBetweenThem()
    {
        for (const TraceTime edge : {160, 161, 164, 165, 166, 169})
            for (const TraceTime pause : {0, 1}) {
                const std::vector<LaneSpan> spans{{100, edge - 100, LanePaint::forward, 0},
                                                  {edge + pause, 300 - edge - pause, LanePaint::backward, 0}};
                LanePicture picture;
                drawSpans(spans, {0, 1000}, 100, picture);
                partBars(picture);
                for (std::size_t column = 10; column < 30; ++column)
                    QVERIFY2(picture.columns.filled(column) > LaneColumns::whole * 8 / 10,
                             qPrintable(QString::number(edge)));
            }
    }

    void thePointedAtSpanIsTheOneThatFillsThePixel_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<int>("span");
        QTest::newRow("inside") << 12 << 0;
        QTest::newRow("two in a column") << 15 << 1;
        QTest::newRow("between") << 40 << -1;
    }
    void thePointedAtSpanIsTheOneThatFillsThePixel()
    {
        const std::vector<LaneSpan> spans{{100, 52, LanePaint::compute, 0},
                                          {152, 100, LanePaint::compute, 0}};
        QFETCH(int, column);
        QTEST(static_cast<int>(spanAt(spans, {0, 1000}, 100, column)), "span");
    }

private:
    static QString textOf(const std::vector<ColumnRun>& runs)
    {
        QString text;
        for (const ColumnRun& run : runs) {
            text += QStringLiteral("%1-%2").arg(run.left).arg(run.right);
            for (const ColumnRun::Share& share : run.shares)
                text += QStringLiteral(" %1 %2")
                            .arg(share.paint == LanePaint::compute ? "compute" : "tp")
                            .arg(100.0 * share.part / LaneColumns::whole, 0, 'f', 0);
            text += "; ";
        }
        return text;
    }
    static QString textOf(const std::vector<LaneBar>& bars)
    {
        QString text;
        for (const LaneBar& bar : bars)
            text += QStringLiteral("[%1,%2) paint %3 span %4; ")
                        .arg(bar.left)
                        .arg(bar.right)
                        .arg(static_cast<int>(bar.paint))
                        .arg(bar.span);
        return text;
    }
};

QTEST_APPLESS_MAIN(TestLaneBars)
#include "tst_lane_bars.moc"

#include <QTest>

#include "widgets/plots/lane_bars.h"

using namespace shardscope;

class TestLaneBars : public QObject
{
    Q_OBJECT
private slots:
    void spansBecomeBars_data()
    {
        QTest::addColumn<std::vector<LaneSpan>>("spans");
        QTest::addColumn<std::vector<LaneBar>>("bars");
        const LanePaint tp = paintOf(Kind::tp);
        const LanePaint compute = LanePaint::compute;
        // On screen: 100 columns of 10 ns.
        QTest::newRow("nothing") << std::vector<LaneSpan>{} << std::vector<LaneBar>{};
        QTest::newRow("a wide one is a bar of its own")
            << std::vector<LaneSpan>{{100, 50, tp, 0}} << std::vector<LaneBar>{{10, 15, tp, 255, 0}};
        QTest::newRow("neighbours share an edge")
            << std::vector<LaneSpan>{{100, 55, tp, 0}, {155, 45, compute, 0}}
            << std::vector<LaneBar>{{10, 16, tp, 255, 0}, {16, 20, compute, 255, 1}};
        QTest::newRow("cut at the edges of the screen")
            << std::vector<LaneSpan>{{-500, 600, tp, 0}, {900, 5000, compute, 0}}
            << std::vector<LaneBar>{{0, 10, tp, 255, 0}, {90, 100, compute, 255, 1}};
        QTest::newRow("outside of the screen")
            << std::vector<LaneSpan>{{-500, 100, tp, 0}, {1000, 5000, tp, 0}} << std::vector<LaneBar>{};
        QTest::newRow("short ones in a column: the paint of most of it")
            << std::vector<LaneSpan>{{100, 2, tp, 0}, {103, 4, compute, 0}}
            << std::vector<LaneBar>{{10, 11, compute, 153}};
        QTest::newRow("a short one across an edge is in both columns")
            << std::vector<LaneSpan>{{105, 10, tp, 0}} << std::vector<LaneBar>{{10, 12, tp, 128}};
        QTest::newRow("an instant is seen")
            << std::vector<LaneSpan>{{333, 0, tp, 0}} << std::vector<LaneBar>{{33, 34, tp, 1}};
        QTest::newRow("equal columns are one bar")
            << std::vector<LaneSpan>{{0, 10, tp, 0}, {10, 10, tp, 0}, {20, 10, tp, 0}}
            << std::vector<LaneBar>{{0, 3, tp, 255}};
    }
    void spansBecomeBars()
    {
        QFETCH(std::vector<LaneSpan>, spans);
        QFETCH(std::vector<LaneBar>, bars);
        std::vector<LaneBar> drawn;
        appendBars(spans, {0, 1000}, 100, drawn);
        QVERIFY2(drawn == bars, qPrintable(textOf(drawn)));
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
    static QString textOf(const std::vector<LaneBar>& bars)
    {
        QString text;
        for (const LaneBar& bar : bars)
            text += QStringLiteral("[%1,%2) paint %3 fill %4 span %5; ")
                        .arg(bar.left)
                        .arg(bar.right)
                        .arg(static_cast<int>(bar.paint))
                        .arg(bar.fill)
                        .arg(static_cast<int>(bar.span));
        return text;
    }
};

QTEST_APPLESS_MAIN(TestLaneBars)
#include "tst_lane_bars.moc"

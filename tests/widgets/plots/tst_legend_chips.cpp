#include "widgets/plots/legend_chips.h"

#include <QTest>

using namespace shardscope;

class TestLegendChips : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void everyChipHasItsLine()
    {
        LegendChips legend{LegendChips::Use::legend};
        legend.setChips(fourChips());
        legend.resize(legend.minimumSizeHint().width(), 200);
        QCOMPARE(legend.shownChips(), 4);
        QCOMPARE(legend.heightForWidth(legend.width()), 4 * legend.minimumSizeHint().height());
        QVERIFY(legend.toolTip().isEmpty());
    }

    void whatDoesNotFitIsCountedAndNamed()
    {
        LegendChips legend{LegendChips::Use::legend};
        legend.setChips(fourChips());
        legend.resize(legend.sizeHint().width() - 4, 200);
        legend.setMostLines(1);
        QCOMPARE(legend.heightForWidth(legend.width()), legend.minimumSizeHint().height());
        const int shown = legend.shownChips();
        QVERIFY(shown >= 1 && shown < 4);
        QVERIFY(legend.toolTip().endsWith("context"));
        QCOMPARE(legend.toolTip().count(','), 4 - shown - 1);
        legend.resize(legend.sizeHint().width() + 4, 200);
        QCOMPARE(legend.shownChips(), 4);
        QVERIFY(legend.grab().width() > 0); // and it paints without a warning
    }

private:
    static std::vector<LegendChip> fourChips()
    {
        std::vector<LegendChip> chips;
        for (const char* text : {"weights", "gradients", "activations", "context"})
            chips.push_back({-1, text, Qt::blue});
        return chips;
    }
};

QTEST_MAIN(TestLegendChips)
#include "tst_legend_chips.moc"

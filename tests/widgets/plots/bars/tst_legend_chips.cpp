#include "tests/fail_on_warnings.h"
#include "widgets/plots/bars/legend_chips.h"

#include <QHelpEvent>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

using namespace shardscope;

class TestLegendChips : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void everyChipHasItsLine()
    {
        LegendChips legend{LegendChips::Use::legend};
        legend.setChips(fourChips());
        legend.resize(legend.minimumSizeHint().width(), 200);
        QCOMPARE(shownChips(legend), 4);
        QCOMPARE(legend.heightForWidth(legend.width()), 4 * legend.minimumSizeHint().height());
        QCOMPARE(legend.linesFor(legend.width()), 4);
        QVERIFY(legend.toolTip().isEmpty());
    }

    void whatDoesNotFitIsCountedAndNamed()
    {
        LegendChips legend{LegendChips::Use::legend};
        legend.setChips(fourChips());
        legend.resize(legend.sizeHint().width() - 4, 200);
        legend.setMostLines(1);
        QCOMPARE(legend.heightForWidth(legend.width()), legend.minimumSizeHint().height());
        QCOMPARE(legend.linesFor(legend.width()), 2); // that all would take
        const int shown = shownChips(legend);
        QVERIFY(shown >= 1 && shown < 4);
        QVERIFY(legend.toolTip().endsWith("context"));
        QCOMPARE(legend.toolTip().count(','), 4 - shown - 1);
        legend.resize(legend.sizeHint().width() + 4, 200);
        QCOMPARE(shownChips(legend), 4);
        QVERIFY(legend.grab().width() > 0); // and it paints without a warning
    }

    void aMarkIsALineInTheLegendToo()
    {
        LegendChips legend{LegendChips::Use::legend};
        const auto blackPixels = [&legend](bool is_line, bool is_dashed) {
            legend.setChips(
                {{.id = -1, .text = {}, .colour = Qt::black, .is_line = is_line, .is_dashed = is_dashed}});
            legend.resize(legend.sizeHint());
            const QImage image = legend.grab().toImage();
            int black = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    black += image.pixelColor(x, y) == QColor{Qt::black};
            return black;
        };
        const int square = blackPixels(false, false);
        const int line = blackPixels(true, false);
        QVERIFY(line > 0 && line < square);
        QVERIFY(blackPixels(true, true) < line);
    }

    void aKindSaysWhatItMeans()
    {
        LegendChips legend{LegendChips::Use::legend};
        legend.setChips(
            {{.id = -1, .text = "compute", .colour = Qt::gray}, {.id = 0, .text = "tp", .colour = Qt::blue}});
        legend.resize(legend.sizeHint());
        legend.show();
        const auto askAt = [&legend](int chip) {
            const QPoint at = legend.chipRectangle(chip).center().toPoint();
            QHelpEvent asked{QEvent::ToolTip, at, legend.mapToGlobal(at)};
            QCoreApplication::sendEvent(&legend, &asked);
            return QToolTip::text();
        };
        QVERIFY(askAt(0).isEmpty());
        QVERIFY(askAt(1).startsWith("tensor parallelism"));
    }

    void chipsWrapAndAnswer()
    {
        LegendChips chips{LegendChips::Use::buttons};
        chips.setChips({{.id = 4, .text = "compute", .colour = Qt::gray},
                        {.id = -1, .text = "measured", .colour = Qt::black},
                        {.id = 7, .text = "pp", .colour = Qt::red}});
        const int one_line = chips.heightForWidth(1000);
        QVERIFY(chips.heightForWidth(80) > 2 * one_line - 1);
        chips.resize(400, one_line);
        chips.show();
        QSignalSpy clicked{&chips, &LegendChips::clicked};
        QTest::mouseClick(&chips, Qt::LeftButton, {}, chips.chipRectangle(2).center().toPoint());
        QTest::mouseClick(&chips, Qt::LeftButton, {}, chips.chipRectangle(1).center().toPoint()); // no button
        QTest::keyClick(&chips, Qt::Key_Left);
        QTest::keyClick(&chips, Qt::Key_Left);
        QTest::keyClick(&chips, Qt::Key_Space);
        QCOMPARE(clicked.count(), 2);
        QCOMPARE(clicked[0][0].toInt(), 7);
        QCOMPARE(clicked[1][0].toInt(), 4);
    }

private:
    static int shownChips(const LegendChips& legend)
    {
        int shown = 0;
        for (int i = 0; i < static_cast<int>(legend.chips().size()); ++i)
            shown += legend.chipRectangle(i).isEmpty() ? 0 : 1;
        return shown;
    }

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

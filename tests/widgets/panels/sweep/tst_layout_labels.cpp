#include "widgets/panels/sweep/layout_labels.h"

#include <QTest>

using namespace shardscope;

namespace
{

SweepPoint pointOf(std::int64_t pipeline, std::int64_t data, std::int64_t micro_batch, int zero,
                   Recompute recompute)
{
    SweepPoint point;
    point.scenario.parallel.pipeline = pipeline;
    point.scenario.parallel.data = data;
    point.scenario.parallel.zero_stage = zero;
    point.scenario.training.micro_batch_size = micro_batch;
    point.scenario.training.recompute = recompute;
    return point;
}

} // namespace

class TestLayoutLabels : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void degreesSufficeWhereNoTwoAreEqual()
    {
        const LayoutLabels found =
            layoutLabels({pointOf(1, 8, 1, 1, Recompute::none), pointOf(2, 4, 2, 0, Recompute::full)});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8", "2·1·4"}));
        QVERIFY(!found.title.contains("ZeRO"));
    }

    void layoutsOfTheSameDegreesTellWhatTheyDifferIn()
    {
        const LayoutLabels found =
            layoutLabels({pointOf(1, 8, 1, 1, Recompute::none), pointOf(2, 4, 2, 0, Recompute::full),
                          pointOf(1, 8, 4, 1, Recompute::none), pointOf(1, 8, 4, 1, Recompute::selective)});
        QCOMPARE(found.labels,
                 (std::vector<QString>{"1·1·8\nb1 keep", "2·1·4", "1·1·8\nb4 keep", "1·1·8\nb4 select"}));
        QVERIFY(found.title.contains("micro-batch"));
        QVERIFY(!found.title.contains("ZeRO"));
    }
};

QTEST_GUILESS_MAIN(TestLayoutLabels)
#include "tst_layout_labels.moc"

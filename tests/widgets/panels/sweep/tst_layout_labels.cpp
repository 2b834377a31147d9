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

    void eachBarSaysInWhatLayoutsDiffer()
    {
        const LayoutLabels found = layoutLabels(
            {pointOf(1, 8, 1, 1, Recompute::none), pointOf(2, 4, 2, 1, Recompute::full)}, Parallel{});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8\nb1 r none", "2·1·4\nb2 r full"}));
        QVERIFY(found.title.contains("micro-batch"));
        QVERIFY(found.title.contains("r recomputation"));
        QVERIFY2(found.title.endsWith("; all with ZeRO 1"), qPrintable(found.title));
    }

    void degreesSufficeWhereAllElseIsAlike()
    {
        const LayoutLabels found = layoutLabels(
            {pointOf(1, 8, 1, 1, Recompute::none), pointOf(2, 4, 1, 1, Recompute::none)}, Parallel{});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8", "2·1·4"}));
        QVERIFY2(found.title.endsWith("; all with micro-batch 1, ZeRO 1, no recomputation"),
                 qPrintable(found.title));
    }

    void contextAndExpertsAreNamedWhereALayoutHasThem()
    {
        std::vector<SweepPoint> points{pointOf(1, 8, 1, 1, Recompute::none),
                                       pointOf(1, 4, 1, 1, Recompute::none)};
        points[1].scenario.parallel.context = 2;
        const LayoutLabels context = layoutLabels(points, Parallel{});
        QCOMPARE(context.labels, (std::vector<QString>{"1·1·1·8", "1·1·2·4"}));
        QVERIFY(context.title.contains("pipeline·tensor·context·data"));
        points[0].scenario.parallel.expert = 8;
        const LayoutLabels experts = layoutLabels(points, Parallel{});
        QCOMPARE(experts.labels, (std::vector<QString>{"1·1·1·8 ep8", "1·1·2·4 ep1"}));
        QVERIFY(experts.title.contains("ep expert"));
        points.resize(1);
        points[0].scenario.parallel.expert = 1;
        Parallel own; // that the layouts are compared with
        own.context = 4;
        QCOMPARE(layoutLabels(points, own).labels, (std::vector<QString>{"1·1·1·8"}));
    }

    void whatMayRunOutOfMemoryIsMarked()
    {
        SweepPoint full = pointOf(1, 8, 1, 1, Recompute::none);
        full.device_bytes = std::int64_t{79} << 30; // of 80
        const LayoutLabels found = layoutLabels({full, pointOf(2, 4, 1, 1, Recompute::none)}, Parallel{});
        QCOMPARE(found.labels, (std::vector<QString>{"1·1·8 !", "2·1·4"}));
        QVERIFY(found.title.contains("! may run out of memory"));
    }

    void whatIsVariedAndWhatIsKeptIsSaid()
    {
        Scenario base;
        base.training.global_batch_size = 64;
        QCOMPARE(searchedWords(base), QString{"varied p t d b v z sp r; kept global batch 64, context 1"});
        base.training.flash_attention = true;
        base.model.experts.count = 8;
        base.parallel.schedule = Schedule::zb_h1;
        QCOMPARE(searchedWords(base),
                 QString{"varied p t c d ep b z sp r; kept global batch 64, schedule zb-h1"});
    }
};

QTEST_GUILESS_MAIN(TestLayoutLabels)
#include "tst_layout_labels.moc"

#include <QTest>

#include "core/prediction/time/pipeline_simulation.h"

#include <algorithm>
#include <array>

using namespace shardscope;

namespace
{

// Forwards F, backwards B; of chunk 1 in small letters: "F0 f0 b0 B0".
QString textOf(VShapeOrder order)
{
    QStringList tasks;
    while (!order.atEnd()) {
        const PipelineTask task = order.next();
        const QString letter = task.kind == TaskKind::forward ? QStringLiteral("F") : QStringLiteral("B");
        tasks << (task.chunk == 1 ? letter.toLower() : letter) + QString::number(task.micro_batch);
    }
    return tasks.join(QLatin1Char{' '});
}

// Chunks of micro-batches whose weight gradients have not run, at the stage's fullest.
int mostHeld(const PipelineRun& run, int stage)
{
    int held = 0;
    int most = 0;
    for (const PlayedTask& played : run.tasks) {
        if (played.stage != stage)
            continue;
        held += played.task.kind == TaskKind::forward           ? 1
                : played.task.kind == TaskKind::weight_gradient ? -1
                                                                : 0;
        most = std::max(most, held);
    }
    return most;
}

} // namespace

class TestVShapeOrder : public QObject
{
    Q_OBJECT
private slots:
    void passesRunInTheOrderOfTheirSources_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("micro_batches");
        QTest::addColumn<QString>("order");
        const auto row = [](const char* name, Schedule schedule, int stage, int micro_batches,
                            const char* order) {
            QTest::newRow(name) << schedule << stage << micro_batches << QString::fromLatin1(order);
        };
        row("zb-v, stage 0 (PyTorch, ScheduleZBVZeroBubble)", Schedule::zb_v, 0, 7,
            "F0 F1 F2 F3 F4 F5 F6 f0 b0 f1 b1 f2 b2 f3 b3 B0 f4 b4 B1 f5 b5 B2 f6 b6 B3 B4 B5 B6");
        row("zb-v, stage 1 (PyTorch, ScheduleZBVZeroBubble)", Schedule::zb_v, 1, 7,
            "F0 F1 F2 F3 F4 f0 F5 f1 b0 f2 b1 f3 b2 F6 B0 f4 b3 B1 f5 b4 B2 f6 b5 B3 b6 B4 B5 B6");
        row("zb-v, stage 3 (PyTorch, ScheduleZBVZeroBubble)", Schedule::zb_v, 3, 7,
            "F0 f0 F1 f1 F2 f2 F3 f3 b0 F4 B0 f4 b1 F5 B1 f5 b2 F6 B2 f6 b3 B3 b4 B4 b5 B5 b6 B6");
        row("v-half, stage 0", Schedule::v_half, 0, 6,
            "F0 F1 F2 F3 F4 f0 b0 f1 b1 f2 B0 b2 f3 F5 B1 b3 f4 B2 b4 f5 B3 b5 B4 B5");
        row("v-half, stage 1", Schedule::v_half, 1, 6,
            "F0 F1 F2 F3 f0 f1 b0 f2 b1 B0 F4 f3 b2 B1 F5 f4 b3 B2 f5 b4 B3 b5 B4 B5");
        row("v-half, stage 3", Schedule::v_half, 3, 6,
            "F0 f0 F1 f1 F2 f2 b0 B0 F3 f3 b1 B1 F4 f4 b2 B2 F5 f5 b3 B3 b4 B4 b5 B5");
        row("v-min, stage 0", Schedule::v_min, 0, 5,
            "F0 F1 F2 f0 b0 f1 b1 B0 F3 f2 b2 B1 F4 f3 b3 B2 f4 b4 B3 B4");
        row("v-min, stage 2", Schedule::v_min, 2, 5,
            "F0 F1 f0 b0 f1 B0 F2 b1 f2 B1 F3 b2 f3 B2 F4 b3 f4 B3 b4 B4");
    }
    void passesRunInTheOrderOfTheirSources()
    {
        QFETCH(Schedule, schedule);
        QFETCH(int, stage);
        QFETCH(int, micro_batches);
        QTEST(textOf({{schedule, 4, 2, micro_batches}, stage}), "order");
    }

    // Qi et al. 2024b, section 4: whatever the passes take, and however few micro-batches there are.
    void noStageHoldsMoreThanItMay_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::newRow("zb-v") << Schedule::zb_v;
        QTest::newRow("v-half") << Schedule::v_half;
        QTest::newRow("v-min") << Schedule::v_min;
    }
    void noStageHoldsMoreThanItMay()
    {
        QFETCH(Schedule, schedule);
        for (const int stages : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31})
            for (const int micro_batches : {1, 2, 3, stages - 1, stages, 2 * stages + 1, 4 * stages}) {
                PipelineWork work;
                work.shape = {schedule, stages, 2, micro_batches};
                work.chunks.assign(static_cast<std::size_t>(2 * stages), {1.0, 2.1, 0.7});
                work.message_s.assign(static_cast<std::size_t>(stages), 0.1);
                const PipelineRun run = playPipeline(work, true);
                QCOMPARE(run.tasks.size(), static_cast<std::size_t>(6 * stages * micro_batches));
                for (int stage = 0; stage < stages; ++stage)
                    QVERIFY(mostHeld(run, stage) <= mostChunksHeld(schedule, stages));
            }
    }
};

QTEST_APPLESS_MAIN(TestVShapeOrder)
#include "tst_v_shape_order.moc"

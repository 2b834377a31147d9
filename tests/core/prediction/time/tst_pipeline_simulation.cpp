#include <QTest>

#include "core/prediction/time/pipeline_simulation.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace shardscope;

namespace
{

PipelineWork evenWork(Schedule schedule, int stages, int virtual_stages, int micro_batches, double forward_s,
                      double input_gradient_s, double weight_gradient_s, double message_s = 0.0)
{
    PipelineWork work;
    work.shape = {schedule, stages, virtual_stages, micro_batches};
    work.chunks.assign(static_cast<std::size_t>(stages * virtual_stages),
                       {forward_s, input_gradient_s + weight_gradient_s, weight_gradient_s});
    work.message_s.assign(static_cast<std::size_t>(stages), message_s);
    return work;
}

} // namespace

class TestPipelineSimulation : public QObject
{
    Q_OBJECT
private slots:
    // Groups that are larger than the stages cost no more bubble with equal stages, nor does a last group
    // that just fills them.
    void interleavedGroupsKeepTheBubble_data()
    {
        QTest::addColumn<int>("micro_batches");
        QTest::addColumn<int>("group");
        QTest::addColumn<double>("bubble");
        QTest::newRow("as many as stages") << 16 << 4 << 9.0;
        QTest::newRow("twice as many") << 16 << 8 << 9.0;
        QTest::newRow("all at once") << 16 << 16 << 9.0;
        QTest::newRow("a last one that fills the stages") << 20 << 8 << 9.0;
        QTest::newRow("two rounds of five") << 10 << 5 << 9.0;
    }
    void interleavedGroupsKeepTheBubble()
    {
        QFETCH(int, micro_batches);
        QFETCH(int, group);
        PipelineWork work = evenWork(Schedule::interleaved, 4, 2, micro_batches, 1.0, 1.0, 1.0);
        work.shape.group = group;
        const PipelineRun run = playPipeline(work, false);
        QTEST(run.duration_s - 3.0 * 2 * micro_batches, "bubble");
    }

    // Durations with forward 1, both backwards 2 (input and weight 1 each) for each micro-batch on one stage.
    void bubblesFollowTheClosedForms_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("virtual_stages");
        QTest::addColumn<int>("micro_batches");
        QTest::addColumn<double>("bubble");
        // (p-1)(F+B)
        QTest::newRow("gpipe, 4 stages") << Schedule::gpipe << 4 << 1 << 8 << 9.0;
        QTest::newRow("1f1b, 4 stages") << Schedule::one_f_one_b << 4 << 1 << 8 << 9.0;
        QTest::newRow("1f1b, fewer micro-batches than stages")
            << Schedule::one_f_one_b << 8 << 1 << 3 << 21.0;
        QTest::newRow("1f1b, one stage has none") << Schedule::one_f_one_b << 1 << 1 << 5 << 0.0;
        // (p-1)(F+B)/v with chunks of 1/v; here each chunk takes as long as a whole stage above
        QTest::newRow("interleaved, 2 chunks") << Schedule::interleaved << 4 << 2 << 8 << 9.0;
        QTest::newRow("interleaved, 3 chunks") << Schedule::interleaved << 4 << 3 << 16 << 9.0;
        QTest::newRow("interleaved, as many micro-batches as stages")
            << Schedule::interleaved << 4 << 2 << 4 << 9.0;
        // (p-1)(F+B-W) and (p-1)(F+B-2W), B and W apart (Qi et al. 2024, Table 2)
        QTest::newRow("zb-h1, 4 stages") << Schedule::zb_h1 << 4 << 1 << 8 << 3.0;
        QTest::newRow("zb-h1, 8 stages") << Schedule::zb_h1 << 8 << 1 << 24 << 7.0;
        QTest::newRow("zb-h2, 4 stages") << Schedule::zb_h2 << 4 << 1 << 12 << 0.0;
        QTest::newRow("zb-h2, 8 stages") << Schedule::zb_h2 << 8 << 1 << 32 << 0.0;
        // None, as zbv in PyTorch
        QTest::newRow("zb-v, 4 stages") << Schedule::zb_v << 4 << 2 << 12 << 0.0;
        QTest::newRow("zb-v, 8 stages") << Schedule::zb_v << 8 << 2 << 24 << 0.0;
        // What Qi et al.'s own search finds (zbv_greedy.py), and up to two forwards more
        QTest::newRow("v-half, 4 stages: 5 by search") << Schedule::v_half << 4 << 2 << 12 << 7.0;
        QTest::newRow("v-half, 5 stages: 11 by search") << Schedule::v_half << 5 << 2 << 20 << 11.0;
        QTest::newRow("v-half, 8 stages: 17 by search") << Schedule::v_half << 8 << 2 << 24 << 19.0;
        QTest::newRow("v-half, 16 stages: 41 by search") << Schedule::v_half << 16 << 2 << 64 << 43.0;
        QTest::newRow("v-min, 4 stages: 11 by search") << Schedule::v_min << 4 << 2 << 12 << 11.0;
        QTest::newRow("v-min, 6 stages: 17 by search") << Schedule::v_min << 6 << 2 << 18 << 19.0;
        QTest::newRow("v-min, 8 stages: 27 by search") << Schedule::v_min << 8 << 2 << 24 << 27.0;
        QTest::newRow("v-min, 16 stages: 59 by search") << Schedule::v_min << 16 << 2 << 64 << 59.0;
    }
    void bubblesFollowTheClosedForms()
    {
        QFETCH(Schedule, schedule);
        QFETCH(int, stages);
        QFETCH(int, virtual_stages);
        QFETCH(int, micro_batches);
        const PipelineWork work = evenWork(schedule, stages, virtual_stages, micro_batches, 1.0, 1.0, 1.0);
        const PipelineRun run = playPipeline(work, false);
        const double busy = 3.0 * virtual_stages * micro_batches;
        QTEST(run.duration_s - busy, "bubble");
        for (const StageUse& use : run.stages)
            QCOMPARE(use.forward_s + use.backward_s + use.idle_s(), run.duration_s);
    }

    // (p/2-1)(F&B + B - 3W), F&B the pair of a forward and a full backward, B full (DualPipe's README).
    void dualPipeFollowsItsClosedForm()
    {
        for (const int stages : {4, 8, 16}) {
            const PipelineRun run =
                playPipeline(evenWork(Schedule::dualpipe, stages, 1, 4 * stages, 1.0, 1.0, 1.0), false);
            const double bubble = (stages / 2 - 1) * (3.0 + 2.0 - 3.0);
            QCOMPARE(run.duration_s, 3.0 * 4 * stages + bubble);
        }
    }

    // (p-1)(F+B-W) with zb-h1; zb-h2 needs at most (p-1)(F+B-2W) (Qi et al. 2024, Table 2).
    void weightGradientsFillTheBubblesOfAnyDurations_data()
    {
        QTest::addColumn<double>("backward"); // of the input
        QTest::addColumn<double>("weight_gradient");
        QTest::newRow("all as long") << 1.0 << 1.0;
        QTest::newRow("short weight gradients: attention has none") << 1.1 << 0.8;
        QTest::newRow("shorter ones") << 1.25 << 0.75;
    }
    void weightGradientsFillTheBubblesOfAnyDurations()
    {
        QFETCH(double, backward);
        QFETCH(double, weight_gradient);
        for (const int stages : {2, 4, 8, 16}) {
            const int micro_batches = 4 * stages;
            const auto bubble = [&](Schedule schedule) {
                const PipelineWork work =
                    evenWork(schedule, stages, 1, micro_batches, 1.0, backward, weight_gradient);
                return playPipeline(work, false).duration_s
                       - micro_batches * (1.0 + backward + weight_gradient);
            };
            const auto closed_form = [&](double weight_gradients) {
                return (stages - 1) * (1.0 + backward - weight_gradients * weight_gradient);
            };
            QVERIFY(std::abs(bubble(Schedule::zb_h1) - closed_form(1.0)) < 1e-9);
            QVERIFY(bubble(Schedule::zb_h2) < closed_form(2.0) + 1e-9);
        }
    }

    // Each stage's time is work and waiting, by cause, whatever the schedule; zb-h2's stages alone may begin
    // after and end before one another.
    void workAndWaitingAddUp_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("virtual_stages");
        QTest::addColumn<bool>("sender_waits");
        QTest::newRow("gpipe") << Schedule::gpipe << 1 << false;
        QTest::newRow("v-half, senders wait") << Schedule::v_half << 2 << true;
        QTest::newRow("gpipe, senders wait") << Schedule::gpipe << 1 << true;
        QTest::newRow("1f1b") << Schedule::one_f_one_b << 1 << false;
        QTest::newRow("1f1b, senders wait") << Schedule::one_f_one_b << 1 << true;
        QTest::newRow("interleaved") << Schedule::interleaved << 3 << false;
        QTest::newRow("interleaved, senders wait") << Schedule::interleaved << 3 << true;
        QTest::newRow("zb-h1") << Schedule::zb_h1 << 1 << false;
        QTest::newRow("zb-h2") << Schedule::zb_h2 << 1 << false;
        QTest::newRow("zb-v") << Schedule::zb_v << 2 << false;
        QTest::newRow("v-half") << Schedule::v_half << 2 << false;
        QTest::newRow("v-min") << Schedule::v_min << 2 << false;
        QTest::newRow("dualpipe") << Schedule::dualpipe << 1 << false;
    }
    void workAndWaitingAddUp()
    {
        QFETCH(Schedule, schedule);
        QFETCH(int, virtual_stages);
        QFETCH(bool, sender_waits);
        PipelineWork work = evenWork(schedule, 6, virtual_stages, 24, 1.0, 1.5, 0.75, 0.1);
        work.sender_waits = sender_waits;
        work.chunks[2].forward_s = 2.0; // a slower one, so that others wait for it
        const PipelineRun run = playPipeline(work, false);
        for (const StageUse& use : run.stages) {
            QCOMPARE(use.forward_s + use.backward_s + use.idle_s(), run.duration_s);
            for (const double part : {use.fill_s, use.drain_s, use.imbalance_s, use.message_s, use.rest_s})
                QVERIFY(part >= -1e-9);
            QVERIFY(use.rest_s <= use.drain_s + 1e-9);
        }
    }

    void theSlowestStageSetsThePace()
    {
        PipelineWork work = evenWork(Schedule::one_f_one_b, 4, 1, 16, 1.0, 1.0, 1.0);
        work.chunks[2] = {2.0, 4.0, 2.0};
        // Never faster than that stage alone behind a first micro-batch's way to it and back, never slower
        // than (m-1) max + sum, which lets no micro-batch overtake.
        const double duration = playPipeline(work, false).duration_s;
        QVERIFY(duration >= 2 * 1.0 + 16 * 6.0 + 2 * 2.0);
        QVERIFY(duration <= 15 * 6.0 + (3 * 3.0 + 6.0));
    }

    void messagesDelayTheFirstAndTheLast()
    {
        // Gaps are 2(p-1) messages in fill and drain; between them they hide behind other micro-batches.
        PipelineWork work = evenWork(Schedule::gpipe, 4, 1, 8, 1.0, 1.0, 1.0, 0.25);
        QCOMPARE(playPipeline(work, false).duration_s, (8 + 3) * 3.0 + 6 * 0.25);
        work = evenWork(Schedule::gpipe, 2, 1, 4, 1.0, 1.0, 1.0, 0.25);
        work.sender_waits = true;
        // Stage 0: four forwards, each followed by its message; stage 1 ends its forwards 1 later; and so
        // back.
        QCOMPARE(playPipeline(work, false).duration_s, 4 * 1.25 + 1.0 + 4 * 2.25 + 2.0);
    }

    void everyTaskRunsOnceAndAfterWhatItNeeds_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("virtual_stages");
        QTest::newRow("gpipe") << Schedule::gpipe << 1;
        QTest::newRow("1f1b") << Schedule::one_f_one_b << 1;
        QTest::newRow("interleaved") << Schedule::interleaved << 3;
        QTest::newRow("zb-h1") << Schedule::zb_h1 << 1;
        QTest::newRow("zb-h2") << Schedule::zb_h2 << 1;
        QTest::newRow("zb-v") << Schedule::zb_v << 2;
        QTest::newRow("v-half") << Schedule::v_half << 2;
        QTest::newRow("v-min") << Schedule::v_min << 2;
        QTest::newRow("dualpipe") << Schedule::dualpipe << 1;
    }
    void everyTaskRunsOnceAndAfterWhatItNeeds()
    {
        QFETCH(Schedule, schedule);
        QFETCH(int, virtual_stages);
        const int stages = 6;
        const int micro_batches = 24;
        const PipelineWork work =
            evenWork(schedule, stages, virtual_stages, micro_batches, 1.0, 1.5, 0.75, 0.1);
        const PipelineRun run = playPipeline(work, true);
        // By kind, direction, place and micro-batch.
        std::map<std::tuple<TaskKind, int, int, int>, PlayedTask> played;
        for (const PlayedTask& task : run.tasks) {
            const int place = placeOf(task.task, task.stage, work.shape.chain());
            const bool first =
                played.insert({{task.task.kind, task.task.reversed, place, task.task.micro_batch}, task})
                    .second;
            QVERIFY(first);
        }
        const auto split =
            std::ranges::count_if(run.tasks, [](const PlayedTask& task) { return !task.task.whole; });
        QVERIFY(split % 2 == 0); // each input gradient has its weight gradient
        QCOMPARE(static_cast<int>(played.size()),
                 2 * stages * virtual_stages * micro_batches + static_cast<int>(split / 2));
        QCOMPARE(split > 0, splitsBackward(schedule));
        for (const auto& [key, task] : played) {
            const auto& [kind, direction, place, micro_batch] = key;
            const int last = stages * virtual_stages - 1;
            // Between two places of one stage nothing is sent.
            const auto arrives_s = [&](const PlayedTask& needed) {
                return needed.end_s + (needed.stage == task.stage ? 0.0 : 0.1);
            };
            if (kind == TaskKind::forward && place > 0)
                QVERIFY(arrives_s(played.at({kind, direction, place - 1, micro_batch}))
                        <= task.start_s + 1e-9);
            if (kind == TaskKind::backward && place < last)
                QVERIFY(arrives_s(played.at({kind, direction, place + 1, micro_batch}))
                        <= task.start_s + 1e-9);
            if (kind == TaskKind::backward)
                QVERIFY(played.at({TaskKind::forward, direction, place, micro_batch}).end_s
                        <= task.start_s + 1e-9);
            if (kind == TaskKind::weight_gradient)
                QVERIFY(played.at({TaskKind::backward, direction, place, micro_batch}).end_s
                        <= task.start_s + 1e-9);
        }
    }

    // Activations and the gradients that come back for them cross the same link, from whichever end the
    // micro-batch entered.
    void bothWaysCrossTheLinkBetweenTheirStages_data()
    {
        QTest::addColumn<bool>("in_v");
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("chunk");
        QTest::addColumn<bool>("reversed");
        QTest::addColumn<int>("next_stage");
        QTest::addColumn<int>("next_chunk");
        QTest::addColumn<int>("link");
        QTest::newRow("to the next stage") << false << 1 << 0 << false << 2 << 0 << 1;
        QTest::newRow("back to the first stage") << false << 3 << 0 << false << 0 << 1 << 3;
        QTest::newRow("of the next chunk") << false << 0 << 1 << false << 1 << 1 << 0;
        QTest::newRow("from the last stage") << false << 3 << 0 << true << 2 << 0 << 2;
        QTest::newRow("to the first stage") << false << 1 << 0 << true << 0 << 0 << 0;
        QTest::newRow("down a V") << true << 1 << 0 << false << 2 << 0 << 1;
        QTest::newRow("a V turns on its stage") << true << 3 << 0 << false << 3 << 1 << -1;
        QTest::newRow("back up") << true << 3 << 1 << false << 2 << 1 << 2;
        QTest::newRow("back to the first") << true << 1 << 1 << false << 0 << 1 << 0;
    }
    void bothWaysCrossTheLinkBetweenTheirStages()
    {
        QFETCH(bool, in_v);
        QFETCH(int, stage);
        QFETCH(int, chunk);
        QFETCH(bool, reversed);
        QFETCH(int, next_stage);
        QFETCH(int, next_chunk);
        QFETCH(int, link);
        const PipelineTask forward{TaskKind::forward, reversed, false, true,
                                   static_cast<std::uint16_t>(chunk)};
        const PipelineTask backward{TaskKind::backward, reversed, false, true,
                                    static_cast<std::uint16_t>(next_chunk)};
        const PipelineChain chain{4, in_v};
        const int place = placeOf(forward, stage, chain);
        QCOMPARE(placeOf(backward, next_stage, chain), place + 1);
        QCOMPARE(linkOf(forward, place, chain), link);
        QCOMPARE(linkOf(backward, place + 1, chain), link);
    }

    // 1f1b and zb-h1 hold at most p - i micro-batches, zb-h2 2(p - i) - 1 (FORMULAS 4.3; Qi et al. 2024).
    void schedulesHoldAsManyMicroBatchesAsTheySay_data()
    {
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<int>("most_on_first");
        QTest::newRow("gpipe") << Schedule::gpipe << 32;
        QTest::newRow("1f1b") << Schedule::one_f_one_b << 8;
        QTest::newRow("zb-h1") << Schedule::zb_h1 << 8;
        QTest::newRow("zb-h2") << Schedule::zb_h2 << 15;
    }
    void schedulesHoldAsManyMicroBatchesAsTheySay()
    {
        QFETCH(Schedule, schedule);
        int held = 0;
        int most = 0;
        for (TaskSequence tasks{{schedule, 8, 1, 32}, 0}; !tasks.atEnd(); tasks.toNext()) {
            const TaskKind kind = tasks.task().kind;
            held += kind == TaskKind::forward ? 1 : kind == TaskKind::backward ? -1 : 0;
            most = std::max(most, held);
        }
        QTEST(most, "most_on_first");
    }
};

QTEST_APPLESS_MAIN(TestPipelineSimulation)
#include "tst_pipeline_simulation.moc"

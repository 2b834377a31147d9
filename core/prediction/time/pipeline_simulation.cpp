#include "core/prediction/time/pipeline_simulation.h"

#include "core/prediction/time/arrivals.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace shardscope
{

namespace
{

constexpr double least_wait = 0.5; // for which a weight gradient is run, of its duration

// Where a stage's results go.
enum class Way : std::uint8_t { to_stage_before, to_stage_behind, inside };

// The forwards, backwards or weight gradients of one direction through one chunk: what all micro-batches of
// theirs have in common, and those that have arrived.
struct Pass {
    Arrivals arrived;
    bool waits = false; // for another pass's result; else it may begin at any time
    Way way = Way::inside;
    double message_s = 0.0; // the result takes that long
    Pass* next = nullptr;   // that needs the result; null: none does
};

class Player
{
public:
    Player(const PipelineWork& work, bool record_tasks)
        : m_work{work},
          m_shape{work.shape},
          m_record{record_tasks},
          m_chain{work.shape.chain()},
          m_both_ways{work.shape.schedule == Schedule::dualpipe},
          m_puts_off{splitsBackward(work.shape.schedule) && !m_both_ways},
          m_free_running{runsFreely(work.shape.schedule)},
          m_chunks{work.shape.stages * work.shape.virtual_stages},
          m_passes(static_cast<std::size_t>((m_both_ways ? 6 : 3) * m_chunks))
    {
        for (const bool reversed : {false, true}) {
            for (int chunk = 0; chunk < m_chunks && (m_both_ways || !reversed); ++chunk) {
                linkPass({TaskKind::forward, reversed}, chunk);
                linkPass({TaskKind::backward, reversed}, chunk);
            }
        }
        m_stages.reserve(static_cast<std::size_t>(m_shape.stages));
        for (int stage = 0; stage < m_shape.stages; ++stage)
            m_stages.emplace_back(m_shape, stage);
    }

    // Forwards are looked for down the pipeline, backwards up, so that a stage mostly finds its message
    // there.
    PipelineRun run()
    {
        for (bool moved = true; moved;) {
            moved = false;
            for (auto stage = m_stages.begin(); stage != m_stages.end(); ++stage)
                moved = advance(*stage, TaskKind::forward) || moved;
            for (auto stage = m_stages.rbegin(); stage != m_stages.rend(); ++stage)
                moved = advance(*stage, TaskKind::backward) || moved;
        }
        return finish();
    }

private:
    struct Sending {
        double start_s = 0.0;
        double end_s = 0.0;
    };
    struct PutOff {
        std::uint16_t chunk = 0;
        std::int32_t micro_batch = 0;
    };

    struct Stage {
        Stage(const PipelineShape& shape, int stage)
            : index{stage}, tasks{shape, stage}, forwards_left{shape.micro_batches * shape.virtual_stages}
        {
        }

        int index;
        TaskSequence tasks;
        StageUse use;
        double free_s = 0.0;
        std::array<double, 3> ways_free_s{}; // by Way
        std::vector<Sending> sends;          // that it does not wait for and that are on their way
        int forwards_left;
        bool begun = false;
        bool filled = false; // its first backward has begun
        // Backwards whose weight gradients are tasks that no order has (dualpipe's has them), and how many of
        // those have run.
        std::vector<PutOff> put_off;
        std::size_t gradients_run = 0;
        std::vector<PlayedTask> played;

        bool hasPutOff() const { return gradients_run < put_off.size(); }
    };

    // Why a stage did nothing before a task, and for how long a message was on its way.
    struct Waiting {
        IdleCause cause;
        double message_s;
    };

    // Of the task's kind and direction, through the chunk at that place of the chain.
    Pass& pass(const PipelineTask& task, int place)
    {
        const int row = (task.reversed ? 3 : 0) + static_cast<int>(task.kind);
        return m_passes[static_cast<std::size_t>(row * m_chunks + place)];
    }

    // Forwards wait for the chunk before them, and backwards for the one behind or, at the loss, for its
    // forwards.
    void linkPass(const PipelineTask& task, int chunk)
    {
        const bool forward = task.kind == TaskKind::forward;
        Pass& linked = pass(task, chunk);
        linked.waits = !forward || chunk > 0;
        if (forward && chunk + 1 == m_chunks) {
            linked.next = &pass({TaskKind::backward, task.reversed}, chunk);
        } else if (forward || chunk > 0) {
            linked.next = &pass(task, forward ? chunk + 1 : chunk - 1);
            const int link = linkOf(task, chunk, m_chain);
            if (link < 0) // a V turns
                return;
            const bool against = task.reversed != m_chain.goesBack(chunk / m_shape.stages);
            linked.way = forward != against ? Way::to_stage_behind : Way::to_stage_before;
            linked.message_s = m_work.message_s[static_cast<std::size_t>(link)];
        }
    }

    const ChunkDuration& chunkDuration(int place) const
    {
        return m_work.chunks[static_cast<std::size_t>(place)];
    }

    double duration(const PipelineTask& task, int place) const
    {
        const ChunkDuration& work = chunkDuration(place);
        if (task.kind == TaskKind::forward)
            return work.forward_s;
        if (task.kind == TaskKind::weight_gradient)
            return work.weight_gradient_s;
        return task.whole ? work.backward_s : work.backward_s - work.weight_gradient_s;
    }

    // Runs the stage's tasks of this kind until one is of another kind, which dualpipe does not heed, or has
    // to wait for another stage.
    bool advance(Stage& stage, TaskKind kind)
    {
        bool moved = false;
        while (!stage.tasks.atEnd() && (m_both_ways || stage.tasks.task().kind == kind) && runTask(stage)) {
            stage.tasks.toNext();
            moved = true;
        }
        while (stage.tasks.atEnd() && stage.hasPutOff())
            runWeightGradient(stage);
        return moved;
    }

    void runWeightGradient(Stage& stage)
    {
        const PutOff& next = stage.put_off[stage.gradients_run++];
        work({TaskKind::weight_gradient, false, false, false, next.chunk, next.micro_batch},
             m_chain.place(next.chunk, stage.index), stage);
    }

    // Those for which there is time before a task that can begin at `ready_s`, or none to lose.
    void runWeightGradients(Stage& stage, TaskKind before, double ready_s)
    {
        const std::size_t needed = before == TaskKind::forward ? gradientsDue(stage) : 0;
        while (stage.hasPutOff()) {
            const int place = m_chain.place(stage.put_off[stage.gradients_run].chunk, stage.index);
            const double worth_s = least_wait * chunkDuration(place).weight_gradient_s;
            if (stage.gradients_run >= needed && ready_s - stage.free_s < worth_s)
                return;
            runWeightGradient(stage);
        }
    }

    // How many must have run before a stage begins its next forward: as many of the others as may be put
    // off, and in a V as leave room for what the forward keeps.
    std::size_t gradientsDue(const Stage& stage) const
    {
        const int forwards = m_shape.micro_batches * m_shape.virtual_stages - stage.forwards_left;
        const int due = m_chain.v_shaped ? forwards + 1 - mostChunksHeld(m_shape.schedule, m_shape.stages)
                                         : static_cast<int>(stage.put_off.size())
                                               - weightGradientsPutOff(m_shape.schedule, stage.index);
        return static_cast<std::size_t>(std::max(0, due));
    }

    // False: what it needs has not arrived yet.
    bool runTask(Stage& stage)
    {
        const PipelineTask& task = stage.tasks.task();
        const int place = placeOf(task, stage.index, m_chain);
        Pass& here = pass(task, place);
        if (here.waits && here.arrived.empty())
            return false;
        if (task.paired)
            return runPair(stage, here, place);
        const Arrival needed = take(here);
        if (stage.hasPutOff())
            runWeightGradients(stage, task.kind, needed.ready_s);
        begin(stage, task, place, needed);
        handOn(here, stage);
        if (m_puts_off && task.kind == TaskKind::backward)
            stage.put_off.push_back({task.chunk, task.micro_batch});
        return true;
    }

    // A paired forward and the backward behind it start together and hand on their results together.
    bool runPair(Stage& stage, Pass& here, int place)
    {
        const PipelineTask& partner = stage.tasks.partner();
        const int other_place = placeOf(partner, stage.index, m_chain);
        Pass& other = pass(partner, other_place);
        if (other.waits && other.arrived.empty())
            return false;
        const Arrival needed = take(here);
        const Arrival needed_too = take(other);
        begin(stage, stage.tasks.task(), place, needed_too.ready_s > needed.ready_s ? needed_too : needed);
        work(partner, other_place, stage);
        handOn(here, stage);
        handOn(other, stage);
        stage.tasks.toNext();
        return true;
    }

    static Arrival take(Pass& pass)
    {
        if (!pass.waits)
            return {};
        const Arrival arrival = pass.arrived.first();
        pass.arrived.removeFirst();
        return arrival;
    }

    // Waits for what the task needs and works on it.
    void begin(Stage& stage, const PipelineTask& task, int place, const Arrival& needed)
    {
        const Waiting waiting = wait(stage, task.kind, needed);
        work(task, place, stage);
        if (!m_record)
            return;
        stage.played.back().idle = waiting.cause;
        stage.played.back().message_s = waiting.message_s;
    }

    // Until what the task needs is there.
    Waiting wait(Stage& stage, TaskKind kind, const Arrival& needed) const
    {
        StageUse& use = stage.use;
        const double start_s = std::max(stage.free_s, needed.ready_s);
        if (!stage.begun)
            use.start_s = start_s;
        const double idle_s = m_free_running && !stage.begun ? 0.0 : start_s - stage.free_s;
        stage.begun = true;
        const double message_s = std::min(idle_s, needed.message_s);
        const IdleCause cause = causeOfIdle(stage, kind);
        use.message_s += message_s;
        (cause == IdleCause::fill    ? use.fill_s
         : cause == IdleCause::drain ? use.drain_s
                                     : use.imbalance_s) += idle_s - message_s;
        stage.free_s = start_s;
        return {cause, message_s};
    }

    // Before a task that the stage begins.
    static IdleCause causeOfIdle(Stage& stage, TaskKind kind)
    {
        const bool filling = !stage.filled;
        const bool draining = stage.forwards_left == 0;
        if (kind == TaskKind::forward)
            --stage.forwards_left;
        else
            stage.filled = true;
        return filling ? IdleCause::fill : draining ? IdleCause::drain : IdleCause::imbalance;
    }

    void work(const PipelineTask& task, int place, Stage& stage) const
    {
        const double start_s = stage.free_s;
        const double length_s = duration(task, place);
        (task.kind == TaskKind::forward ? stage.use.forward_s : stage.use.backward_s) += length_s;
        stage.free_s += length_s;
        stage.use.end_s = stage.free_s;
        hideSends(stage, start_s);
        if (m_record)
            stage.played.push_back({task, stage.index, start_s, stage.free_s});
    }

    // What of the stage's messages travels while it works until it is free again.
    static void hideSends(Stage& stage, double start_s)
    {
        std::size_t on_their_way = 0;
        for (const Sending& send : stage.sends) {
            stage.use.hidden_message_s +=
                std::max(0.0, std::min(send.end_s, stage.free_s) - std::max(send.start_s, start_s));
            if (send.end_s > stage.free_s)
                stage.sends[on_their_way++] = send;
        }
        stage.sends.resize(on_their_way);
    }

    // Tells the task that needs this one's result when it arrives.
    void handOn(const Pass& from, Stage& stage) const
    {
        if (from.next == nullptr)
            return;
        double& way_free_s = stage.ways_free_s[static_cast<std::size_t>(from.way)];
        const double start_s = std::max(stage.free_s, way_free_s); // both of a pair go the same way
        way_free_s = start_s + from.message_s;
        from.next->arrived.add({way_free_s, way_free_s - stage.free_s});
        if (m_work.sender_waits) {
            stage.free_s += from.message_s;
            stage.use.message_s += from.message_s;
        } else if (from.message_s > 0.0) {
            stage.sends.push_back({start_s, way_free_s});
        }
    }

    PipelineRun finish() const
    {
        PipelineRun run;
        for (const Stage& stage : m_stages)
            run.duration_s =
                std::max(run.duration_s, stage.use.end_s - (m_free_running ? stage.use.start_s : 0.0));
        run.stages.reserve(m_stages.size());
        for (const Stage& stage : m_stages) {
            assert(stage.tasks.atEnd());
            StageUse& use = run.stages.emplace_back(stage.use);
            // A sender's last message keeps it past its last task.
            const double through_s = stage.free_s - (m_free_running ? use.start_s : 0.0);
            use.rest_s = std::max(0.0, run.duration_s - through_s);
            use.drain_s += use.rest_s;
            run.tasks.insert(run.tasks.end(), stage.played.begin(), stage.played.end());
        }
        return run;
    }

    const PipelineWork& m_work;
    const PipelineShape& m_shape;
    bool m_record;
    PipelineChain m_chain;
    bool m_both_ways; // micro-batches enter at both ends, and tasks run in pairs
    bool m_puts_off;  // weight gradients
    // Stages need not wait for one another between iterations: the way to the first task costs nothing.
    bool m_free_running;
    int m_chunks;
    std::vector<Pass> m_passes; // by direction, kind and place
    std::vector<Stage> m_stages;
};

} // namespace

bool runsFreely(Schedule schedule)
{
    return schedule == Schedule::zb_h2 || schedule == Schedule::zb_v;
}

PipelineRun playPipeline(const PipelineWork& work, bool record_tasks)
{
    assert(work.chunks.size() == static_cast<std::size_t>(work.shape.stages * work.shape.virtual_stages));
    return Player{work, record_tasks}.run();
}

} // namespace shardscope

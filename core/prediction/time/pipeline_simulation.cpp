#include "core/prediction/time/pipeline_simulation.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace shardscope
{

namespace
{

constexpr double least_wait = 0.5; // for which a weight gradient is run, of its duration

// When what a task needs has arrived, and how much of the wait for it was its message's. Zeros: it needs
// nothing but its own stage.
struct Arrival {
    double ready_s = 0.0;
    double message_s = 0.0;
};

// What has arrived at a chunk and is not worked on yet, in the order of the micro-batches. A ring: few wait
// at a time, and a place for every micro-batch of a long iteration would leave the processor's cache.
class Arrivals
{
public:
    bool empty() const { return m_count == 0; }
    // Pre: not empty.
    const Arrival& first() const { return m_ring[m_first]; }
    void add(const Arrival& arrival)
    {
        if (m_count == m_ring.size())
            grow();
        m_ring[(m_first + m_count++) & (m_ring.size() - 1)] = arrival;
    }
    void removeFirst()
    {
        m_first = (m_first + 1) & (m_ring.size() - 1);
        --m_count;
    }

private:
    void grow()
    {
        std::rotate(m_ring.begin(), m_ring.begin() + static_cast<std::ptrdiff_t>(m_first), m_ring.end());
        m_first = 0;
        m_ring.resize(std::max<std::size_t>(4, 2 * m_ring.size()));
    }

    std::vector<Arrival> m_ring; // of 2^n places
    std::size_t m_first = 0;
    std::size_t m_count = 0;
};

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
          m_zero_bubble{work.shape.schedule == Schedule::zb_h1 || work.shape.schedule == Schedule::zb_h2},
          m_free_running{work.shape.schedule == Schedule::zb_h2},
          m_both_ways{work.shape.schedule == Schedule::dualpipe},
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
        // zb-h1, zb-h2; dualpipe has them in its order
        std::int32_t put_off = 0;
        std::int32_t weight_gradients = 0; // that it has run
        std::vector<PlayedTask> played;
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
            linked.way = forward != task.reversed ? Way::to_stage_behind : Way::to_stage_before;
            linked.message_s =
                m_work.message_s[static_cast<std::size_t>(linkOf(task, chunk, m_shape.stages))];
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
        while (stage.tasks.atEnd() && stage.put_off > 0)
            runWeightGradient(stage);
        return moved;
    }

    void runWeightGradient(Stage& stage)
    {
        --stage.put_off;
        work({TaskKind::weight_gradient, false, false, false, 0, stage.weight_gradients++}, stage.index,
             stage);
    }

    // Those for which there is time before a task that can begin at `ready_s`, or none to lose.
    void runWeightGradients(Stage& stage, TaskKind before, double ready_s)
    {
        const double worth_s = least_wait * chunkDuration(stage.index).weight_gradient_s;
        const int most = before == TaskKind::forward ? weightGradientsPutOff(m_shape.schedule, stage.index)
                                                     : stage.put_off;
        while (stage.put_off > 0 && (stage.put_off > most || ready_s - stage.free_s >= worth_s))
            runWeightGradient(stage);
    }

    // False: what it needs has not arrived yet.
    bool runTask(Stage& stage)
    {
        const PipelineTask& task = stage.tasks.task();
        const int place = placeOf(task, stage.index, m_shape.stages);
        Pass& here = pass(task, place);
        if (here.waits && here.arrived.empty())
            return false;
        if (task.paired)
            return runPair(stage, here, place);
        const Arrival needed = take(here);
        if (stage.put_off > 0)
            runWeightGradients(stage, task.kind, needed.ready_s);
        begin(stage, task, place, needed);
        handOn(here, stage);
        if (m_zero_bubble && task.kind == TaskKind::backward)
            ++stage.put_off;
        return true;
    }

    // A paired forward and the backward behind it start together and hand on their results together.
    bool runPair(Stage& stage, Pass& here, int place)
    {
        const PipelineTask& partner = stage.tasks.partner();
        const int other_place = placeOf(partner, stage.index, m_shape.stages);
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
    bool m_zero_bubble;
    // Stages need not wait for one another between iterations: the way to the first task costs nothing.
    bool m_free_running;
    bool m_both_ways; // micro-batches enter at both ends, and tasks run in pairs
    int m_chunks;
    std::vector<Pass> m_passes; // by direction, kind and place
    std::vector<Stage> m_stages;
};

} // namespace

PipelineRun playPipeline(const PipelineWork& work, bool record_tasks)
{
    assert(work.chunks.size() == static_cast<std::size_t>(work.shape.stages * work.shape.virtual_stages));
    return Player{work, record_tasks}.run();
}

} // namespace shardscope

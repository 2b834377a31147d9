#include "core/prediction/time/pipeline_simulation.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace shardscope
{

namespace
{

constexpr double not_yet = -1.0;
constexpr double least_wait = 0.5; // for which a weight gradient is run, of its duration

// When a dependency has arrived, and how much of the wait for it was its message's.
struct Arrival {
    double ready_s = not_yet;
    double message_s = 0.0;
};

// What has arrived at a chunk and is not worked on yet, in the order of the micro-batches. A ring: few wait
// at a time, and a place for every micro-batch of a long iteration would leave the processor's cache.
class Arrivals
{
public:
    Arrival first() const { return m_count == 0 ? Arrival{} : m_ring[m_first]; }
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

class Player
{
public:
    Player(const PipelineWork& work, bool record_tasks)
        : m_work{work},
          m_shape{work.shape},
          m_record{record_tasks},
          m_zero_bubble{work.shape.schedule == Schedule::zb_h1 || work.shape.schedule == Schedule::zb_h2},
          m_free_running{work.shape.schedule == Schedule::zb_h2},
          m_chunks{static_cast<std::size_t>(work.shape.stages * work.shape.virtual_stages)},
          m_micro_batches{static_cast<std::size_t>(work.shape.micro_batches)}
    {
        const std::size_t directions = m_shape.schedule == Schedule::dualpipe ? 2 : 1;
        m_arrivals.resize(2 * directions * m_chunks);
        m_stages.resize(static_cast<std::size_t>(m_shape.stages));
        for (int stage = 0; stage < m_shape.stages; ++stage)
            m_stages[static_cast<std::size_t>(stage)].order = taskOrder(m_shape, stage);
    }

    PipelineRun run()
    {
        m_run.stages.resize(m_stages.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (int stage = 0; stage < m_shape.stages; ++stage)
                moved = advance(stage) || moved;
        }
        finish();
        return std::move(m_run);
    }

private:
    struct Sending {
        double start_s = 0.0;
        double end_s = 0.0;
    };

    struct Stage {
        std::vector<PipelineTask> order;
        std::vector<Sending> sends;           // that it does not wait for and that are on their way
        std::array<double, 2> links_free_s{}; // to the stage before it and to the one behind it
        std::vector<PlayedTask> played;
        std::size_t next = 0;
        double free_s = 0.0;
        std::size_t forwards = 0;
        bool filled = false; // its first backward has begun
        // zb-h1, zb-h2; dualpipe has them in its order
        std::int32_t put_off = 0;
        std::int32_t weight_gradients = 0; // that it has run
    };

    // Why a stage did nothing before a task, and for how long a message was on its way.
    struct Waiting {
        IdleCause cause;
        double message_s;
    };

    // Of the forwards or backwards of one direction.
    Arrivals& arrivals(TaskKind kind, bool reversed, std::size_t chunk)
    {
        const std::size_t which = (reversed ? 2 : 0) + (kind == TaskKind::forward ? 0 : 1);
        return m_arrivals[which * m_chunks + chunk];
    }

    // Nothing but the stage's own work stands before weight gradients, and nothing before what enters.
    bool dependsOnOther(const PipelineTask& task, std::size_t chunk) const
    {
        return task.kind == TaskKind::backward || (task.kind == TaskKind::forward && chunk > 0);
    }

    std::size_t place(const PipelineTask& task, int stage) const
    {
        return static_cast<std::size_t>(placeOf(task, stage, m_shape.stages));
    }

    double duration(const PipelineTask& task, std::size_t chunk) const
    {
        const ChunkDuration& work = m_work.chunks[chunk];
        if (task.kind == TaskKind::forward)
            return work.forward_s;
        if (task.kind == TaskKind::weight_gradient)
            return work.weight_gradient_s;
        return task.whole ? work.backward_s : work.backward_s - work.weight_gradient_s;
    }

    // Runs the stage's tasks until one has to wait for another stage.
    bool advance(int stage_index)
    {
        Stage& stage = m_stages[static_cast<std::size_t>(stage_index)];
        const std::size_t first = stage.next;
        while (stage.next < stage.order.size() && runTask(stage, stage_index))
            ++stage.next;
        while (stage.next == stage.order.size() && stage.put_off > 0)
            runWeightGradient(stage, stage_index);
        return stage.next != first;
    }

    void runWeightGradient(Stage& stage, int stage_index)
    {
        --stage.put_off;
        work({TaskKind::weight_gradient, false, false, false, 0, stage.weight_gradients++}, stage,
             stage_index, m_run.stages[static_cast<std::size_t>(stage_index)]);
    }

    // Those for which there is time before a task that can begin at `ready_s`, or none to lose.
    void runWeightGradients(Stage& stage, int stage_index, const PipelineTask& task, double ready_s)
    {
        if (stage.put_off == 0)
            return;
        const double worth_s =
            least_wait * m_work.chunks[static_cast<std::size_t>(stage_index)].weight_gradient_s;
        const int most = task.kind == TaskKind::forward ? weightGradientsPutOff(m_shape.schedule, stage_index)
                                                        : stage.put_off;
        while (stage.put_off > 0 && (stage.put_off > most || ready_s - stage.free_s >= worth_s))
            runWeightGradient(stage, stage_index);
    }

    Arrival dependency(const PipelineTask& task, int stage_index, double free_s)
    {
        if (task.kind == TaskKind::weight_gradient)
            return {free_s, 0.0};
        const std::size_t chunk = place(task, stage_index);
        return dependsOnOther(task, chunk) ? arrivals(task.kind, task.reversed, chunk).first()
                                           : Arrival{0.0, 0.0};
    }

    // A paired forward and the backward behind it start together and hand on their results together.
    bool runTask(Stage& stage, int stage_index)
    {
        const PipelineTask& task = stage.order[stage.next];
        Arrival needed = dependency(task, stage_index, stage.free_s);
        if (needed.ready_s == not_yet)
            return false;
        if (task.paired) {
            const Arrival other = dependency(stage.order[stage.next + 1], stage_index, stage.free_s);
            if (other.ready_s == not_yet)
                return false;
            if (other.ready_s > needed.ready_s)
                needed = other;
        }
        runWeightGradients(stage, stage_index, task, needed.ready_s);
        StageUse& use = m_run.stages[static_cast<std::size_t>(stage_index)];
        const Waiting waiting = wait(stage, task, needed, use);
        work(task, stage, stage_index, use);
        if (m_record) {
            stage.played.back().idle = waiting.cause;
            stage.played.back().message_s = waiting.message_s;
        }
        if (task.paired)
            work(stage.order[++stage.next], stage, stage_index, use);
        if (task.paired)
            handOn(task, place(task, stage_index), stage, use);
        const PipelineTask& last = stage.order[stage.next];
        handOn(last, place(last, stage_index), stage, use);
        if (m_zero_bubble && task.kind == TaskKind::backward)
            ++stage.put_off;
        return true;
    }

    // Until what the task needs is there.
    Waiting wait(Stage& stage, const PipelineTask& task, const Arrival& needed, StageUse& use)
    {
        const double start_s = std::max(stage.free_s, needed.ready_s);
        if (stage.next == 0)
            use.start_s = start_s;
        const bool begins = m_free_running && stage.next == 0;
        const double idle_s = begins ? 0.0 : start_s - stage.free_s;
        const double message_s = std::min(idle_s, needed.message_s);
        const IdleCause cause = causeOfIdle(stage, task);
        use.message_s += message_s;
        (cause == IdleCause::fill    ? use.fill_s
         : cause == IdleCause::drain ? use.drain_s
                                     : use.imbalance_s) += idle_s - message_s;
        stage.free_s = start_s;
        return {cause, message_s};
    }

    void work(const PipelineTask& task, Stage& stage, int stage_index, StageUse& use)
    {
        const double start = stage.free_s;
        const std::size_t chunk = place(task, stage_index);
        const double length = duration(task, chunk);
        if (dependsOnOther(task, chunk))
            arrivals(task.kind, task.reversed, chunk).removeFirst();
        (task.kind == TaskKind::forward ? use.forward_s : use.backward_s) += length;
        stage.free_s += length;
        use.end_s = stage.free_s;
        hideSends(stage, start, use);
        if (m_record)
            stage.played.push_back({task, stage_index, start, stage.free_s});
    }

    // What of the stage's messages travels while it works until it is free again.
    static void hideSends(Stage& stage, double start_s, StageUse& use)
    {
        for (const Sending& send : stage.sends)
            use.hidden_message_s +=
                std::max(0.0, std::min(send.end_s, stage.free_s) - std::max(send.start_s, start_s));
        std::erase_if(stage.sends, [&](const Sending& send) { return send.end_s <= stage.free_s; });
    }

    // Before the task, which the stage begins.
    IdleCause causeOfIdle(Stage& stage, const PipelineTask& task) const
    {
        const bool filling = !stage.filled;
        stage.filled = stage.filled || task.kind != TaskKind::forward;
        const bool draining = stage.forwards == forwardsOfStage();
        stage.forwards += task.kind == TaskKind::forward ? 1 : 0;
        return filling ? IdleCause::fill : draining ? IdleCause::drain : IdleCause::imbalance;
    }

    std::size_t forwardsOfStage() const
    {
        return m_micro_batches * static_cast<std::size_t>(m_shape.virtual_stages);
    }

    // Tells the task that needs this one's result when it arrives.
    void handOn(const PipelineTask& task, std::size_t chunk, Stage& stage, StageUse& use)
    {
        const bool forward = task.kind == TaskKind::forward;
        if (task.kind == TaskKind::weight_gradient || (!forward && chunk == 0))
            return;
        if (forward && chunk + 1 == m_chunks) { // the loss: its backward can begin here
            arrivals(TaskKind::backward, task.reversed, chunk).add({stage.free_s, 0.0});
            return;
        }
        const std::size_t next = forward ? chunk + 1 : chunk - 1;
        const double message = messageTime(task, chunk);
        double& link_free_s = stage.links_free_s[forward != task.reversed ? 1 : 0];
        const double start_s = std::max(stage.free_s, link_free_s); // both of a pair go the same way
        link_free_s = start_s + message;
        arrivals(task.kind, task.reversed, next).add({link_free_s, link_free_s - stage.free_s});
        if (m_work.sender_waits) {
            stage.free_s += message;
            use.message_s += message;
        } else if (message > 0.0) {
            stage.sends.push_back({start_s, link_free_s});
        }
    }

    double messageTime(const PipelineTask& task, std::size_t chunk) const
    {
        const int link = linkOf(task, static_cast<int>(chunk), m_shape.stages);
        return m_work.message_s[static_cast<std::size_t>(link)];
    }

    void finish()
    {
        for (const StageUse& use : m_run.stages)
            m_run.duration_s = std::max(m_run.duration_s, use.end_s - (m_free_running ? use.start_s : 0.0));
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            StageUse& use = m_run.stages[i];
            assert(m_stages[i].next == m_stages[i].order.size());
            // A sender's last message keeps it past its last task.
            const double through = m_stages[i].free_s - (m_free_running ? use.start_s : 0.0);
            use.rest_s = std::max(0.0, m_run.duration_s - through);
            use.drain_s += use.rest_s;
            m_run.tasks.insert(m_run.tasks.end(), m_stages[i].played.begin(), m_stages[i].played.end());
        }
    }

    const PipelineWork& m_work;
    const PipelineShape& m_shape;
    bool m_record;
    bool m_zero_bubble;
    // Stages need not wait for one another between iterations: the way to the first task costs nothing.
    bool m_free_running;
    std::size_t m_chunks;
    std::size_t m_micro_batches;
    std::vector<Arrivals> m_arrivals;
    std::vector<Stage> m_stages;
    PipelineRun m_run;
};

} // namespace

PipelineRun playPipeline(const PipelineWork& work, bool record_tasks)
{
    assert(work.chunks.size() == static_cast<std::size_t>(work.shape.stages * work.shape.virtual_stages));
    return Player{work, record_tasks}.run();
}

} // namespace shardscope

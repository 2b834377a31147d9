#include "core/prediction/time/pipeline_bound.h"

namespace shardscope
{

namespace
{

class PipelineBound
{
public:
    explicit PipelineBound(const PipelineWork& work)
        : m_work{work},
          m_chain{work.shape.chain()},
          m_stages{static_cast<std::size_t>(work.shape.stages)},
          m_passes{static_cast<double>(work.shape.micro_batches)}
    {
    }

    std::vector<StageAtLeast> stages() const
    {
        std::vector<StageAtLeast> all;
        all.reserve(m_stages);
        double before_s = 0.0; // the first micro-batch on its way to the stage
        double behind_s = 0.0; // the last one on its way back, from the stage before it on
        for (std::size_t stage = 0; stage < m_stages; ++stage) {
            const double through_s = (entersInOrder() ? before_s : 0.0) + busy_s(stage);
            const double arrival_s = stage > 0 && !m_work.sender_waits ? m_work.message_s[stage - 1] : 0.0;
            all.push_back({through_s, through_s + (endsInOrder() ? arrival_s + behind_s : 0.0)});
            before_s += m_work.chunks[stage].forward_s + m_work.message_s[stage];
            behind_s += m_work.chunks[stage].backward_s + (stage > 0 ? m_work.message_s[stage - 1] : 0.0);
        }
        return all;
    }

private:
    // From both ends, or with stages that do not wait for the first micro-batch's way: nothing is before.
    bool entersInOrder() const
    {
        const Schedule schedule = m_work.shape.schedule;
        return schedule != Schedule::dualpipe && schedule != Schedule::zb_h2 && schedule != Schedule::zb_v;
    }
    // A stage's last task is a whole backward pass that the stages before it still wait for.
    bool endsInOrder() const
    {
        const Schedule schedule = m_work.shape.schedule;
        return schedule == Schedule::gpipe || schedule == Schedule::one_f_one_b
               || schedule == Schedule::interleaved;
    }

    double busy_s(std::size_t stage) const
    {
        if (m_work.shape.schedule == Schedule::dualpipe)
            return m_passes / 2.0 * (passes_s(stage) + passes_s(m_stages - 1 - stage));
        double each_s = 0.0;
        for (int chunk = 0; chunk < m_work.shape.virtual_stages; ++chunk) {
            const auto place = static_cast<std::size_t>(m_chain.place(chunk, static_cast<int>(stage)));
            each_s += passes_s(place) + (m_work.sender_waits ? sending_s(place) : 0.0);
        }
        return m_passes * each_s;
    }

    double passes_s(std::size_t chunk) const
    {
        return m_work.chunks[chunk].forward_s + m_work.chunks[chunk].backward_s;
    }

    // A micro-batch's activations to the next chunk and its gradients to the one before.
    double sending_s(std::size_t chunk) const
    {
        const double forward_s = chunk + 1 < m_work.chunks.size() ? messageBehind_s(chunk) : 0.0;
        return forward_s + (chunk > 0 ? messageBehind_s(chunk - 1) : 0.0);
    }

    double messageBehind_s(std::size_t chunk) const
    {
        const int link = m_chain.linkBehind(static_cast<int>(chunk));
        return link < 0 ? 0.0 : m_work.message_s[static_cast<std::size_t>(link)];
    }

    const PipelineWork& m_work;
    PipelineChain m_chain;
    std::size_t m_stages;
    double m_passes;
};

} // namespace

std::vector<StageAtLeast> pipelineAtLeast(const PipelineWork& work)
{
    return PipelineBound{work}.stages();
}

} // namespace shardscope

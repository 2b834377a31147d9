#include <QTest>

#include "core/prediction/time/stage_clocks.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

// Passes of 10 and 20 s for each chunk, half of the backward pass for weights; the head's parts take 1, 2 and
// 3 s. Layers with experts take three times as long as others, four times for the weights' gradients.
class Clocks
{
public:
    explicit Clocks(const Scenario& scenario) : m_figures{scenario}, m_shapes{chunkShapes(m_figures)}
    {
        StageTime chunk;
        chunk.forward.compute_s = 10.0;
        chunk.backward.compute_s = 20.0;
        chunk.weight_gradient_s = 10.0;
        chunk.layers[static_cast<std::size_t>(LayerForm::attention_mlp)] = {1.0, 2.0, 1.0};
        chunk.layers[static_cast<std::size_t>(LayerForm::attention_experts)] = {3.0, 6.0, 4.0};
        m_time.chunks.assign(m_shapes.size(), chunk);
        m_head.forward_s = 1.0;
        m_head.input_gradient_s = 2.0;
        m_head.weight_gradient_s = 3.0;
    }

    PassClock forward(std::size_t stage) const { return clocks().firstForward(stage, {}); }
    PassClock backward(std::size_t stage) const { return clocks().lastBackward(stage, {}); }

private:
    StageClocks clocks() const { return {m_figures, m_time, m_shapes, m_head}; }

    IterationFigures m_figures;
    std::vector<ChunkShape> m_shapes;
    IterationTime m_time;
    ComputeTime m_head;
};

} // namespace

class TestStageClocks : public QObject
{
    Q_OBJECT
private slots:
    void theHeadComesLastAndItsGradientsFirst()
    {
        const Scenario scenario = small(2, 1, 2);
        const Clocks clocks{scenario};
        QCOMPARE(clocks.forward(0).beginBehind(1.0), 10.0);
        QCOMPARE(clocks.forward(1).beginBehind(1.0), 9.0);
        QCOMPARE(clocks.backward(0).endOf(0.0), 0.0);
        QCOMPARE(clocks.backward(1).endOf(0.0), 5.0);
        QCOMPARE(clocks.backward(1).endOf(0.5), 12.5);
        QCOMPARE(clocks.backward(1).end_s(), 20.0);
    }

    // Two micro-batches, as many as there are stages, pass the second chunk before the first one's turn.
    void otherMicroBatchesPassBetweenTheChunksOfAStage()
    {
        Scenario scenario = small(2, 1, 2);
        scenario.parallel.virtual_stages = 2;
        scenario.parallel.schedule = Schedule::interleaved;
        const Clocks clocks{scenario};
        QCOMPARE(clocks.backward(0).endOf(0.5), 20.0);
        QCOMPARE(clocks.backward(0).endOf(0.75), 50.0);
        QCOMPARE(clocks.backward(0).end_s(), 60.0);
        QCOMPARE(clocks.forward(0).beginBehind(0.5), 20.0);
        QCOMPARE(clocks.forward(0).beginBehind(0.75), 25.0);
    }

    void gradientsThatArePutOffAreCompleteInTheirOwnPass()
    {
        Scenario scenario = small(2, 1, 2);
        scenario.parallel.schedule = Schedule::zb_h1;
        const Clocks clocks{scenario};
        QCOMPARE(clocks.backward(0).end_s(), 10.0);
        QCOMPARE(clocks.backward(1).endOf(0.0), 3.0);
        QCOMPARE(clocks.backward(1).end_s(), 10.0);
    }

    // Eight layers on two stages, each second one with experts, from the second on.
    void unlikeLayersTakeTheirOwnTime()
    {
        Scenario scenario = withExperts(small(2, 1, 4), 0.0);
        const Clocks clocks{scenario};
        QCOMPARE(clocks.forward(0).beginBehind(0.25), 1.25);
        QCOMPARE(clocks.forward(0).beginBehind(0.5), 5.0);
        QCOMPARE(clocks.backward(0).endOf(0.25), 7.5);
        QCOMPARE(clocks.backward(0).endOf(0.5), 10.0);
        scenario.parallel.schedule = Schedule::zb_h1;
        const Clocks put_off{scenario};
        QCOMPARE(put_off.backward(0).endOf(0.25), 4.0);
    }

    // Both ends of the pipeline hold the same two chunks, and work on the same one first and last.
    void mirroredStagesBeginAndEndWithTheNearerChunk()
    {
        Scenario scenario = small(4, 1, 2);
        scenario.parallel.schedule = Schedule::dualpipe;
        const Clocks clocks{scenario};
        for (const std::size_t stage : {0, 3}) {
            QCOMPARE(clocks.forward(stage).beginBehind(0.0), 0.0);
            QCOMPARE(clocks.forward(stage).beginBehind(0.5), 10.0);
            QCOMPARE(clocks.forward(stage).beginBehind(1.0), 19.0); // before the head
            QCOMPARE(clocks.backward(stage).endOf(0.5), 0.0);
            QCOMPARE(clocks.backward(stage).endOf(0.75), 5.0);
            QCOMPARE(clocks.backward(stage).end_s(), 10.0);
        }
    }
};

QTEST_APPLESS_MAIN(TestStageClocks)
#include "tst_stage_clocks.moc"

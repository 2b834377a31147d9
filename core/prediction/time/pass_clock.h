#pragma once

#include <vector>

namespace shardscope
{

// When a stage is through with a share of its layers: in its last backward pass, which completes gradients,
// or in its first forward pass, which needs parameters. With virtual stages the passes of other micro-batches
// lie between those of its chunks.
class PassClock
{
public:
    // One chunk of the stage: seconds of what comes before its layers, of them, and of what comes after.
    struct Chunk {
        double layers = 0.0;
        double ahead_s = 0.0;
        double layers_s = 0.0;
        double behind_s = 0.0;
        std::vector<double>
            weights{}; // of the layers in layers_s, in the order of the pass; empty: all alike
    };
    // In the order in which the pass reaches them.
    void add(const Chunk& chunk);

    // From the beginning of the pass until it is through with a share of the layers of all chunks, from 0 to
    // 1; with all of them it is over.
    double endOf(double share) const;
    // Until it comes to what follows that share: where a chunk ends, to the next one.
    double beginBehind(double share) const;
    double end_s() const { return m_end_s; }

private:
    std::vector<Chunk> m_chunks;
    double m_layers = 0.0;
    double m_end_s = 0.0;
};

} // namespace shardscope

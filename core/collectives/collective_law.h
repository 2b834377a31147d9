#pragma once

namespace shardscope
{

// The constants of collectiveTime()'s law for one system: shares of the links' bandwidths and latencies. The
// defaults are an NVSwitch node of A100s on InfiniBand; presets hold each system's with the fit's error.
struct CollectiveLaw {
    double intra_efficiency = 0.785; // of intra_node's bandwidth, that a ring inside the node reaches
    double inter_efficiency = 0.96;  // of the node's network bandwidth
    // all_reduce by the switch itself (NVLS): of intra_node's bandwidth, that the bus bandwidth (nccl-tests)
    // reaches at most, 0: it cannot; and that the link of a GPU carries of the S (1 + 1/g) bytes it sends.
    double switch_reduce_efficiency = 0.0;
    double switch_link_efficiency = 0.69;
    double all_reduce_step_us = 2.8;      // inside a node, for each of the 2(g-1) steps
    double all_reduce_doubling_us = 62.0; // across nodes, for each doubling of their number
    double ring_base_us = 13.4;           // all_gather, reduce_scatter and the like
    double ring_step_us = 4.62;           // for each of their n-1 steps
    double blend = 0.7;                   // p of all_reduce; ring-only collectives have 1
    // Across nodes, B / (1 + this * log2(nodes)), of rings and trees; where switches reduce, of what they do.
    double derate_per_doubling = 0.0;
    // Adapters of its node that the rings of one group leave by; 0: one for each member on the node.
    double ring_adapters = 0.0;
    // Nobody measured links like these inside a node, or between nodes: the efficiency is inferred, and as
    // sure as another kind's.
    bool intra_inferred = false;
    bool inter_inferred = false;
    bool operator==(const CollectiveLaw&) const = default;
};

} // namespace shardscope

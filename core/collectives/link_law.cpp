#include "core/collectives/link_law.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

struct IntraLink {
    std::string_view kind;
    double efficiency = 0.0;
    double switch_reduce = 0.0;
    double step_us = 0.0;
    double ring_base_us = 13.4;
};

// nvlink2: 122 of 150 GB/s on 8 V100 (NVIDIA, GTC 2024, S62129). nvlink3, 4: fits of published nccl-tests
// curves of A100, H100 and H200; nvlink5: of B200 and, the ring, 700 of 900 GB/s (GTC 2025). pcie: 4.9 of
// 12 GB/s on 4 GPUs (NVIDIA/nccl issue 445); its steps are an estimate. nvlink2's steps are nvlink3's.
// Others: a ring on NVSwitch.
constexpr std::array intra_links{
    IntraLink{"nvlink2", 0.81, 0.0, 2.8},        IntraLink{"nvlink3", 0.785, 0.0, 2.8},
    IntraLink{"nvlink4", 0.775, 1.08, 1.7, 5.0}, IntraLink{"nvlink5", 0.78, 0.90, 3.0, 5.0},
    IntraLink{"pcie3", 0.408, 0.0, 1.0},         IntraLink{"pcie4", 0.408, 0.0, 1.0},
    IntraLink{"pcie5", 0.408, 0.0, 1.0},
};
constexpr IntraLink other_intra{"", 0.785, 0.0, 2.8};

constexpr double half = 0.5;

struct InterLink {
    std::string_view kind;
    double efficiency = 0.0;
    double doubling_us = 0.0;
    double ring_adapters = 0.0;
};

// infiniband: fits of published curves of 4 to 512 nodes of H100. tcp: half of what RDMA reaches, Li et al.
// 2024 and NVIDIA/nccl issue 450. efa: four nodes of B200. omnipath: on four nodes of eight A100 with four
// adapters of 100 Gb/s an all_reduce of 4 GB had all of its rings on one of them and reached 5.07 GB/s, with
// four GPUs of a node 4.98 (BigScience, experiments/bandwidth: all_reduce_bench-a100-n4.txt and
// n4_a100_all_reduce_bench.txt). Others are RDMA too. Where no curve tells what a doubling of the nodes
// takes, it takes what it does on infiniband.
constexpr std::array inter_links{
    InterLink{"infiniband", 0.93, 62.0},    InterLink{"tcp", half, 62.0},
    InterLink{"loopback", half, 62.0},      InterLink{"efa", 1.0, 175.0},
    InterLink{"omnipath", 0.41, 62.0, 1.0},
};
constexpr InterLink other_inter{"", 0.93, 62.0};

template<class Link, std::size_t N>
const Link& linkOf(const std::array<Link, N>& links, const Link& other, std::string_view kind)
{
    const auto found = std::ranges::find(links, kind, &Link::kind);
    return found == links.end() ? other : *found;
}

// Boards of up to four GPUs with NVLink have no switch (HGX A100, H100 and H200 with four GPUs, GH200
// quads, V100 nodes of four); with NVLink 5 they are trays of a rack that has. Infinity Fabric joins every
// GPU to every other by a link of 50 to 64 GB/s (MI210, MI300X: two of eight reach 48 of 448 GB/s; github
// stas00/ml-engineering, network/README.md at 744d01e1); figures below that are those of one link.
constexpr std::int64_t largest_board = 4;
constexpr double fabric_link_GBps = 50.0;

} // namespace

int meshPeers(std::string_view kind, double GBps, std::int64_t gpus_per_node)
{
    const std::int64_t peers = std::max<std::int64_t>(gpus_per_node - 1, 0);
    const bool board = kind.starts_with("nvlink") && kind != "nvlink5" && gpus_per_node <= largest_board;
    const bool fabric = kind == "infinity_fabric" && GBps >= fabric_link_GBps * static_cast<double>(peers);
    return board || fabric ? static_cast<int>(peers) : 0;
}

void takeIntraLink(CollectiveLaw& law, std::string_view kind)
{
    const IntraLink& link = linkOf(intra_links, other_intra, kind);
    law.intra_efficiency = link.efficiency;
    law.intra_inferred = false;
    law.switch_reduce_efficiency = link.switch_reduce;
    law.switch_link_efficiency = CollectiveLaw{}.switch_link_efficiency;
    law.all_reduce_step_us = link.step_us;
    law.ring_base_us = link.ring_base_us;
    law.ring_step_us = CollectiveLaw{}.ring_step_us;
}

bool isHalfReached(std::string_view inter_node_kind)
{
    return linkOf(inter_links, other_inter, inter_node_kind).efficiency <= half;
}

void takeInterLink(CollectiveLaw& law, std::string_view kind)
{
    const InterLink& link = linkOf(inter_links, other_inter, kind);
    law.inter_efficiency = link.efficiency;
    law.inter_inferred = false;
    law.all_reduce_doubling_us = link.doubling_us;
    law.derate_per_doubling = 0.0;
    law.ring_adapters = link.ring_adapters;
}

} // namespace shardscope

#include "core/report/link_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/text_table.h"
#include "core/scenario/scale_up_domain.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope
{

namespace
{

std::string gpu(std::int64_t rank)
{
    return "GPU " + std::to_string(rank);
}

// Racks that count as one node are not all filled.
std::int64_t nodeOf(const LinkUse& link, const Scenario& scenario)
{
    const Cluster& cluster = scenario.cluster;
    const std::int64_t ranks = std::min(cluster.gpus_per_node, scaleUpDomain(cluster, scenario.worldSize()));
    return link.first_rank / std::max<std::int64_t>(1, ranks);
}

// With its kind and direction: "NIC of GPU 3, infiniband, sent".
std::string fullName(const LinkUse& link, const Scenario& scenario)
{
    const Cluster& cluster = scenario.cluster;
    const std::string& kind = link.is_inside ? cluster.intra_node.kind : cluster.inter_node.kind;
    return linkName(link, scenario) + (kind.empty() ? "" : ", " + kind) + directionWord(link);
}

// Sums that people wait for no longer than for the rest: about half a second.
constexpr std::int64_t most_cells = 1'000'000;
constexpr std::int64_t most_additions = 10'000'000;

constexpr const char* heading =
    "\nLinks in an iteration: so long at their full rate, longer at what collectives reach of it\n";
constexpr const char* too_many =
    "\nLinks in an iteration: left out, as too many unlike pairs of ranks would have to be added up\n";

// Nothing where that takes too long.
std::optional<std::vector<LinkUse>> usedLinks(const Scenario& scenario, const Prediction& prediction)
{
    if (trafficCost(scenario) > most_cells)
        return std::nullopt;
    const TrafficFamilies families{TrafficMatrix{scenario, prediction}};
    if (busiestLinksCost(families) > most_additions)
        return std::nullopt;
    return linkUses(busiestLinks(families, nodeShape(scenario)), scenario.cluster);
}

std::string_view typeWord(const LinkUse& link)
{
    return link.is_inside ? "intra_node" : link.is_between_pods ? "pod" : "nic";
}

void writeLink(const LinkUse& link, const Scenario& scenario, double iteration_s, JsonWriter& json)
{
    const Cluster& cluster = scenario.cluster;
    json.beginObject(JsonWriter::Layout::line);
    json.member("link", typeWord(link));
    json.member("name", linkName(link, scenario));
    json.member("kind", link.is_inside ? cluster.intra_node.kind : cluster.inter_node.kind);
    json.member("rank", link.first_rank);
    json.member("ranks", link.ranks);
    json.member("node", nodeOf(link, scenario));
    if (link.is_between_pods)
        json.member("pod", link.first_rank / link.ranks);
    if (link.peer >= 0)
        json.member("peer", link.peer);
    json.member("direction", std::string_view{link.is_received ? "received" : "sent"});
    json.member("bytes", std::llround(link.bytes));
    json.member("bandwidth_GBps", link.GBps);
    json.member("busy_s", link.busy_s());
    json.member("share_of_iteration",
                iteration_s > 0.0 ? std::optional{link.busy_s() / iteration_s} : std::nullopt);
    json.endObject();
}

} // namespace

std::string linkName(const LinkUse& link, const Scenario& scenario)
{
    const Cluster& cluster = scenario.cluster;
    if (link.peer >= 0)
        return gpu(link.first_rank) + " to " + gpu(link.peer);
    if (link.is_inside)
        return gpu(link.first_rank) + " within its node";
    if (link.is_between_pods)
        return "pod " + std::to_string(link.first_rank / link.ranks) + ", to and from others";
    if (link.ranks == 1)
        return (cluster.nics_per_node > cluster.gpus_per_node ? "NICs of " : "NIC of ")
               + gpu(link.first_rank);
    return (cluster.nics_per_node > 1 ? "NICs of node " : "NIC of node ")
           + std::to_string(nodeOf(link, scenario));
}

std::string directionWord(const LinkUse& link)
{
    if (link.peer >= 0)
        return {};
    return link.is_received ? ", received" : ", sent";
}

std::string rateText(double GBps)
{
    constexpr double many = 10'000.0;
    return GBps < many ? formatPlain(GBps, 4) + " GB/s" : formatPlain(GBps / 1000.0, 4) + " TB/s";
}

std::string shareOfIteration(double busy_s, double iteration_s)
{
    return iteration_s > 0.0 ? formatRatio(busy_s / iteration_s) : std::string{};
}

std::string linksText(const Scenario& scenario, const Prediction& prediction)
{
    const auto links = usedLinks(scenario, prediction);
    if (!links)
        return too_many;
    const std::vector<LinkUse>& uses = *links;
    if (uses.empty())
        return {};
    TextTable table{{"busiest link, one way", ">bytes", ">bandwidth", ">busy at least", ">of the iteration"}};
    for (const LinkUse& link : uses)
        table.addRow({fullName(link, scenario), formatBytes(link.bytes), rateText(link.GBps),
                      formatSeconds(link.busy_s()),
                      shareOfIteration(link.busy_s(), prediction.time.iteration_s)});
    std::string text = heading + table.text();
    for (const std::string& remark :
         {crowdedRemark(uses, scenario, prediction.time.iteration_s), reductionRemark(scenario)})
        text += remark.empty() ? "" : remark + '\n';
    return text;
}

void writeLinks(const Scenario& scenario, const Prediction& prediction, JsonWriter& json)
{
    json.key("links");
    const auto links = usedLinks(scenario, prediction);
    if (!links)
        return json.null();
    json.beginArray();
    for (const LinkUse& link : *links)
        writeLink(link, scenario, prediction.time.iteration_s, json);
    json.endArray();
}

std::string crowdedRemark(const std::vector<LinkUse>& links, const Scenario& scenario, double iteration_s)
{
    constexpr double rounding = 1e-9;
    const bool is_crowded = std::ranges::any_of(
        links, [&](const LinkUse& link) { return link.busy_s() > iteration_s * (1.0 + rounding); });
    if (!is_crowded || iteration_s <= 0.0 || scenario.time_model != TimeModel::detailed)
        return {};
    return "A link is busy for longer than the iteration takes: messages that travel at the same time are "
           "each timed as if they had it alone. The iteration takes at least as long as the link is busy.";
}

std::string reductionRemark(const Scenario& scenario)
{
    if (!mayReduceOnTheWay(scenario))
        return {};
    return "Bytes are those of rings: where switches add up (NVLS, SHARP), or trees are taken, an all_reduce "
           "sends less.";
}

} // namespace shardscope

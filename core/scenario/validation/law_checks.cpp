#include "core/scenario/scenario_fields.h"
#include "core/scenario/validation/findings.h"

#include <string>

namespace shardscope
{

namespace
{

// Shares of something lie between nothing and all of it, efficiencies above nothing; switches that add up
// reach more than the link's bandwidth by nccl-tests' count, so that a share may exceed one.
struct Bounds {
    double least = 0.0;
    double most = 1e9;
};

Bounds boundsOf(std::string_view key)
{
    if (key == "switch_reduce_efficiency" || key == "derate_per_doubling")
        return {0.0, 10.0};
    if (key.ends_with("_efficiency") || key.ends_with("_speedup"))
        return {1e-6, 10.0};
    if (key.ends_with("_exposed") || key == "overlap_contention")
        return {0.0, 10.0};
    if (key == "blend")
        return {0.05, 1.0};
    if (key == "fp4_over_fp8")
        return {1.0, 10.0};
    if (key == "multiprocessors")
        return {1.0, 1e6};
    return {};
}

// Visits the fields of a law and finds those out of their bounds.
class BoundsCheck
{
public:
    BoundsCheck(std::string_view path, Findings& findings) : m_path{path}, m_findings{findings} {}

    void operator()(std::string_view key, const double& figure)
    {
        const Bounds bounds = boundsOf(key);
        if (figure >= bounds.least && figure <= bounds.most)
            return;
        m_findings.range(std::string{m_path} + std::string{key}, figure, bounds.least, bounds.most);
    }

private:
    std::string_view m_path;
    Findings& m_findings;
};

} // namespace

void checkLaws(const Scenario& scenario, Findings& findings)
{
    BoundsCheck compute{"cluster.compute.", findings};
    Fields<ComputeLaw>::visit(compute, scenario.cluster.compute);
    BoundsCheck collectives{"cluster.collectives.", findings};
    Fields<CollectiveLaw>::visit(collectives, scenario.cluster.collectives);
    findings.range("conventions.operator_traffic", scenario.conventions.operator_traffic, 0.0, 1e3);
}

} // namespace shardscope

#pragma once

#include "core/prediction/prediction.h"
#include "core/prediction/traffic/busiest_links.h"
#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace shardscope
{

class JsonWriter;

// "NIC of GPU 3", "NICs of node 2", "GPU 3 within its node", "GPU 0 to GPU 1", "pod 3,
// to and from others".
std::string linkName(const LinkUse& link, const Scenario& scenario);
// ", sent", ", received"; empty where the name tells it.
std::string directionWord(const LinkUse& link);
// "12.5 GB/s", "21.9 TB/s".
std::string rateText(double GBps);
// "12.3 %"; empty where nobody knows how long an iteration takes.
std::string shareOfIteration(double busy_s, double iteration_s);

// The busiest links of a predicted iteration as a table for people, with the time that their bytes take at
// least; empty where nothing is sent.
std::string linksText(const Scenario& scenario, const Prediction& prediction);

// The same for programs, as member "links": an array; null where too many unlike pairs of ranks would have to
// be added up.
void writeLinks(const Scenario& scenario, const Prediction& prediction, JsonWriter& json);

// Why a link may be busy for longer than the predicted iteration takes; empty where none is.
std::string crowdedRemark(const std::vector<LinkUse>& links, const Scenario& scenario, double iteration_s);

// Why "at least" may be too much: bytes are counted as rings send them. Empty where nothing else is possible.
std::string reductionRemark(const Scenario& scenario);

} // namespace shardscope

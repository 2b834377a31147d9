#pragma once

#include <QString>

namespace shardscope
{

struct Scenario;

// What is to be known of heads that do not make the hidden size; empty: they do. At the number of heads, and
// at their width, which stands under "Advanced".
QString noteOfHeads(const Scenario& scenario);
QString noteOfHeadDim(const Scenario& scenario);

} // namespace shardscope

#include "core/prediction/prediction.h"

namespace shardscope
{

std::string_view word(IdleCause cause)
{
    switch (cause) {
    case IdleCause::fill:
        return "fill";
    case IdleCause::drain:
        return "drain";
    case IdleCause::imbalance:
        return "imbalance";
    case IdleCause::step:
        return "step";
    case IdleCause::message:
        break;
    }
    return "message";
}

} // namespace shardscope

#include "core/prediction/time/communication_error.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

constexpr double most_of_it = 0.5;

constexpr std::array kinds_of_calls{
    std::pair{Kind::tp, &TimePrediction::tp_s},   std::pair{Kind::cp, &TimePrediction::cp_s},
    std::pair{Kind::ep, &TimePrediction::ep_s},   std::pair{Kind::dp, &TimePrediction::dp_s},
    std::pair{Kind::emb, &TimePrediction::emb_s}, std::pair{Kind::mp, &TimePrediction::mp_s},
};

std::array<double, 2> wider(const std::array<double, 2>& band, double error)
{
    return band[1] > 0.0 && error > band[1] ? std::array{-error, error} : band;
}

} // namespace

std::array<double, 2> withCommunicationError(const std::array<double, 2>& band,
                                             const StageCommunication& stage, const TimePrediction& time)
{
    double exposed_s = 0.0;
    double off_s = 0.0;
    for (const auto& [kind, exposed_of_kind] : kinds_of_calls) {
        const CollectivesOfKind& calls = stage.collectives[static_cast<std::size_t>(kind)];
        if (calls.all_s <= 0.0)
            continue;
        const double waited_s = std::min(time.*exposed_of_kind, calls.all_s); // not for other stages
        exposed_s += waited_s;
        off_s += waited_s * calls.off_s / calls.all_s;
    }
    return exposed_s > most_of_it * time.iteration_s ? wider(band, off_s / time.iteration_s) : band;
}

std::array<double, 2> withMostCommunicationError(const std::array<double, 2>& band,
                                                 const std::vector<StageCommunication>& stages,
                                                 double least_s)
{
    double most = 0.0;
    for (const StageCommunication& stage : stages) {
        double all_s = 0.0;
        double off_s = 0.0;
        double worst = 0.0; // of the calls of one kind: the others may be hidden
        for (const CollectivesOfKind& calls : stage.collectives) {
            all_s += calls.all_s;
            off_s += calls.off_s;
            worst = calls.all_s > 0.0 ? std::max(worst, calls.off_s / calls.all_s) : worst;
        }
        if (all_s > most_of_it * least_s)
            most = std::max(most, std::min(off_s / least_s, worst));
    }
    return wider(band, most);
}

} // namespace shardscope

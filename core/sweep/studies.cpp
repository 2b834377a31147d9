#include "core/sweep/studies.h"

#include "core/sweep/axis_values.h"

#include <array>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::array all_studies{
    Study{"changes", "One change at a time", "", StudyPicture::changes, SweepAxis::micro_batch_size,
          std::nullopt},
    Study{"steps", "From the pinned scenario to this", "", StudyPicture::steps, SweepAxis::micro_batch_size,
          std::nullopt},
    Study{"strong", "More GPUs: strong scaling", "Cheng et al. 2024, Fig. 12 to 14", StudyPicture::bars,
          SweepAxis::gpus_strong, std::nullopt},
    Study{"weak", "More GPUs: weak scaling", "Cheng et al. 2024, Fig. 12 to 14", StudyPicture::bars,
          SweepAxis::gpus_weak, std::nullopt},
    Study{"zero-gpus", "ZeRO stages over GPUs", "Cheng et al. 2024, Fig. 12 to 14", StudyPicture::bars,
          SweepAxis::gpus_weak, SweepAxis::zero_stage},
    Study{"pipeline-data", "Pipeline or data, 3 link speeds", "Cheng et al. 2024", StudyPicture::bars,
          SweepAxis::pipeline, SweepAxis::network_bandwidth},
    Study{"tensor-data", "Tensor or data, 3 link speeds", "Cheng et al. 2024", StudyPicture::bars,
          SweepAxis::tensor, SweepAxis::network_bandwidth},
    Study{"tensor-pipeline", "Tensor or pipeline, 3 link speeds", "Cheng et al. 2024", StudyPicture::bars,
          SweepAxis::tensor_for_pipeline, SweepAxis::network_bandwidth},
    Study{"layouts", "The best layouts", "", StudyPicture::layouts, SweepAxis::pipeline, std::nullopt},
    Study{"micro-batch", "Micro-batch", "", StudyPicture::bars, SweepAxis::micro_batch_size, std::nullopt},
    Study{"global-batch", "Global batch", "", StudyPicture::bars, SweepAxis::global_batch_size, std::nullopt},
    Study{"length", "Sequence length", "Anthony et al. 2024", StudyPicture::bars, SweepAxis::sequence_length,
          std::nullopt},
    Study{"context", "Context ranks", "", StudyPicture::bars, SweepAxis::context, std::nullopt},
    Study{"experts", "Expert ranks", "", StudyPicture::bars, SweepAxis::expert, std::nullopt},
    Study{"hidden", "Hidden size", "Pati et al. 2023", StudyPicture::bars, SweepAxis::hidden_size,
          std::nullopt},
    Study{"layers", "Layers", "", StudyPicture::bars, SweepAxis::layers, std::nullopt},
    Study{"recomputed-layers", "Recomputed layers", "", StudyPicture::bars, SweepAxis::recomputed_layers,
          std::nullopt},
    Study{"schedule", "Pipeline schedules", "Qi et al. 2024", StudyPicture::bars, SweepAxis::schedule,
          std::nullopt},
    Study{"formats", "Number formats", "Pati et al. 2023", StudyPicture::bars, SweepAxis::precision,
          std::nullopt},
    Study{"network", "Network speed", "Li et al. 2024", StudyPicture::bars, SweepAxis::network_bandwidth,
          std::nullopt},
    Study{"node-links", "Links inside a node", "Li et al. 2024", StudyPicture::bars,
          SweepAxis::node_bandwidth, std::nullopt},
    Study{"evolution", "Faster GPUs, the same links", "Pati et al. 2023", StudyPicture::bars,
          SweepAxis::flop_vs_bandwidth, SweepAxis::in_network_reduction},
    Study{"slower-links", "Slower links", "Pati et al. 2023", StudyPicture::bars, SweepAxis::slower_links,
          std::nullopt},
    Study{"projection", "Pati et al.: serialized, overlapped", "Pati et al. 2023, Table 2",
          StudyPicture::projection, SweepAxis::hidden_size, SweepAxis::tensor},
    Study{"futures", "One layer, three futures", "Pati et al. 2023, Fig. 12", StudyPicture::futures,
          SweepAxis::flop_vs_bandwidth, std::nullopt},
    Study{"measured", "Measured iteration, other sizes", "Pati et al. 2023", StudyPicture::measured,
          SweepAxis::hidden_size, std::nullopt},
    Study{"map", "Map of two sliders", "", StudyPicture::map, SweepAxis::sequence_length,
          SweepAxis::network_bandwidth},
};

constexpr std::array map_axes{
    SweepAxis::sequence_length,
    SweepAxis::hidden_size,
    SweepAxis::layers,
    SweepAxis::micro_batch_size,
    SweepAxis::global_batch_size,
    SweepAxis::gpus_weak,
    SweepAxis::gpus_strong,
    SweepAxis::pipeline,
    SweepAxis::tensor,
    SweepAxis::network_bandwidth,
    SweepAxis::node_bandwidth,
    SweepAxis::flop_vs_bandwidth,
    SweepAxis::slower_links,
    SweepAxis::zero_stage,
    SweepAxis::precision,
    SweepAxis::expert,
    SweepAxis::recomputed_layers,
};

// Few enough that a group of bars can be read.
std::vector<double> groupValues(const Scenario& scenario, SweepAxis axis)
{
    if (axis != SweepAxis::network_bandwidth)
        return barValues(scenario, axis);
    const double own = ownValue(scenario, axis);
    return {own / 4.0, own, own * 4.0};
}

// A list of tensors is one piece in pure data parallelism.
bool needsLayers(SweepAxis axis)
{
    switch (axis) {
    case SweepAxis::pipeline:
    case SweepAxis::tensor:
    case SweepAxis::tensor_for_pipeline:
    case SweepAxis::context:
    case SweepAxis::expert:
    case SweepAxis::schedule:
    case SweepAxis::sequence_length:
    case SweepAxis::hidden_size:
    case SweepAxis::layers:
    case SweepAxis::recomputed_layers:
        return true;
    default:
        return false;
    }
}

} // namespace

std::string studyProblem(const Study& study, const Scenario& scenario, SweepAxis x, SweepAxis y)
{
    const bool is_map = study.picture == StudyPicture::map;
    const bool shares_experts =
        is_map ? x == SweepAxis::expert || y == SweepAxis::expert : study.axis == SweepAxis::expert;
    if (scenario.model.kind != ModelKind::parameter_list)
        return shares_experts && scenario.model.experts.count == 0
                   ? "A dense model has no experts to share out; choose a mixture of experts"
                   : std::string{};
    const bool varies_layers = is_map ? needsLayers(x) || needsLayers(y)
                                      : study.picture == StudyPicture::bars && needsLayers(study.axis);
    if (varies_layers || study.picture == StudyPicture::futures || study.picture == StudyPicture::layouts)
        return "A list of tensors has no layers, hidden size or sequence to vary or to split";
    return {};
}

std::span<const Study> studies()
{
    return all_studies;
}

Sweep sweepOf(const Study& study, const Scenario& scenario)
{
    Sweep sweep;
    sweep.base = scenario;
    sweep.axis = study.axis;
    sweep.values = barValues(scenario, study.axis);
    sweep.group_axis = study.group_axis;
    if (study.group_axis)
        sweep.group_values = groupValues(scenario, *study.group_axis);
    return sweep;
}

std::span<const SweepAxis> mapAxes()
{
    return map_axes;
}

} // namespace shardscope

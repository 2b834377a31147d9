// Formats of the optimizer's states, in the arguments of Megatron-LM.
#include "core/scenario/megatron/argument_reading.h"

#include "core/scenario/defaults.h"
#include "core/scenario/optimizer_states.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// Two bytes beside bf16 weights are those that they lack of a float, unless told otherwise; Megatron-FSDP
// holds weights in fp32 for the optimizer.
int copyBytes(const RunArguments& arguments, const Training& training)
{
    if (training.precision == Precision::fp32)
        return 0;
    if (bytesOfDtype(arguments, "main_params_dtype") == 2)
        return 2;
    const bool is_sharded = arguments.isOn("use_megatron_fsdp") || arguments.isOn("use_custom_fsdp");
    const bool has_remainders =
        training.precision != Precision::fp16 && !is_sharded && !arguments.isOff("store_param_remainders");
    return has_remainders ? 2 : 4;
}

bool asksForOthers(const RunArguments& arguments)
{
    constexpr std::array names{"main_params_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"};
    return std::ranges::any_of(
        names, [&](const char* name) { return bytesOfDtype(arguments, name).value_or(4) != 4; });
}

} // namespace

std::optional<int> bytesOfDtype(const RunArguments& arguments, std::string_view name)
{
    std::string_view format = arguments.text(name).value_or("");
    if (constexpr std::string_view torch = "torch."; format.starts_with(torch))
        format.remove_prefix(torch.size());
    if (format == "fp32" || format == "float32")
        return 4;
    if (format == "fp16" || format == "float16" || format == "bf16" || format == "bfloat16")
        return 2;
    return format == "fp8" || format == "uint8" ? std::optional{1} : std::nullopt;
}

void readStates(ArgumentReading& reading)
{
    const RunArguments& arguments = reading.arguments;
    Training& training = reading.run.scenario.training;
    training.master_bytes = defaultMasterBytes(training.precision);
    if (!arguments.isOn("use_precision_aware_optimizer") || training.optimizer != Optimizer::adam)
        return;
    if (training.offload != Offload::none)
        return reading.noteIf(asksForOthers(arguments),
                              "use_precision_aware_optimizer: States on the host are predicted in fp32.");
    training.exp_avg_bytes = bytesOfDtype(arguments, "exp_avg_dtype").value_or(default_moment_bytes);
    training.exp_avg_sq_bytes = bytesOfDtype(arguments, "exp_avg_sq_dtype").value_or(default_moment_bytes);
    training.master_bytes = copyBytes(arguments, training);
    reading.tell("training.master_bytes", training.master_bytes,
                 {"use_precision_aware_optimizer", "main_params_dtype", "store_param_remainders"});
    reading.tell("training.exp_avg_bytes", training.exp_avg_bytes, {"exp_avg_dtype"});
    reading.tell("training.exp_avg_sq_bytes", training.exp_avg_sq_bytes, {"exp_avg_sq_dtype"});
    reading.noteIf(keepsRemainders(reading.run.scenario) && !arguments.lists("store_param_remainders")
                       && bytesOfDtype(arguments, "main_params_dtype") != 2,
                   "use_precision_aware_optimizer: Of the copy in fp32 the 16 bits are predicted that bf16 "
                   "weights lack, which Transformer Engine keeps from 2.1 on; before it is whole.");
}

} // namespace shardscope

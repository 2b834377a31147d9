#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/scenario_settings.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope
{

// What a command line changes of the scenarios that it names: --cluster puts them on another cluster,
// --deepspeed trains them as that configuration says, --set gives figures of theirs other values.
class ScenarioChanges
{
public:
    // Error: the sentence begins with the option.
    static Result<ScenarioChanges> of(const Arguments& arguments);

    // A scenario of a file or of a text as it is read with the settings in it, before it is settled.
    Result<ScenarioReading> read(const std::filesystem::path& file, const Presets& presets) const;
    Result<ScenarioReading> readText(std::string_view text, const Presets& presets,
                                     const std::filesystem::path& folder = {}) const;
    // The other cluster, DeepSpeed's configuration, and the figures that neither the text nor these have.
    // Without another cluster a warning tells which was assumed for a file that names none.
    Result<bool> settle(ScenarioReading& reading, const Presets& presets) const;

private:
    Result<ScenarioReading>
    onSetRun(const Presets& presets,
             const std::function<Result<ScenarioReading>(const Scenario*)>& read) const;
    Result<bool> layDeepSpeedOver(ScenarioReading& reading, const Presets& presets) const;
    Result<bool> set(ScenarioReading& reading, const Presets& presets, Replaced replaced) const;

    std::optional<ClusterReading> m_cluster;
    std::string m_deepspeed_file;
    std::string m_deepspeed; // its text
    ScenarioSettings m_settings;
};

} // namespace shardscope

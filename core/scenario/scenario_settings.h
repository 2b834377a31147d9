#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario_json.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What of a reading took another's place since its text was read.
enum class Replaced : std::uint8_t { nothing, cluster, figures };

// Figures that are given beside a scenario's file, by their keys: "parallel.data=64,recompute=full". A file
// of scenario's keys is read as if it had them, so that what is left out follows from them. What a script, a
// job or another program's configuration is read into has every figure; there they take the places of those
// figures, and conventions that are as the framework has them follow.
class ScenarioSettings
{
public:
    // Keys are whole, or their last part where no other key ends in it; tp, pp, dp, cp and ep are the degrees
    // of parallelism. Values are JSON or words without
    // quotes; commas and brackets within brackets belong to a list. Error: the sentence begins with the part
    // that is wrong.
    static Result<ScenarioSettings> parse(std::string_view text);

    bool isEmpty() const { return m_settings.empty(); }
    // The text of a file of scenario's keys with the settings among them; any other text, and one with a
    // slip, is the same as before.
    std::string inText(std::string_view text) const;
    // Sets what the reading does not have yet: all of a text that inText() left as it was, and what was
    // `replaced` since. Error: as of readScenario, or the name of a preset or a GPU, which would change no
    // figure.
    Result<bool> applyTo(ScenarioReading& reading, const Presets& presets, Replaced replaced) const;

private:
    struct Setting {
        std::string key;  // whole
        std::string json; // its value
        bool isOf(std::string_view section) const { return key.starts_with(section); }
        bool isLeft(ScenarioSource source, Replaced replaced) const;
    };

    Result<Scenario> readWith(nlohmann::json figures, const Presets& presets, ScenarioReading& reading,
                              const std::function<bool(const Setting&)>& chosen) const;
    void followReplicas(ScenarioReading& reading, const Scenario& before) const;

    std::vector<Setting> m_settings;
};

} // namespace shardscope

#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario_json.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Figures that are given beside a scenario's file, by their keys: "parallel.data=64,recompute=full". A file
// of scenario's keys is read as if it had them, so that what is left out follows from them. What a script, a
// job or another program's configuration is read into has every figure; there they take the places of those
// figures, and conventions that are as the framework has them follow.
class ScenarioSettings
{
public:
    // Keys are whole, or their last part where no other key ends in it. Values are JSON or words without
    // quotes; commas and brackets within brackets belong to a list. Error: the sentence begins with the part
    // that is wrong.
    static Result<ScenarioSettings> parse(std::string_view text);

    bool isEmpty() const { return m_settings.empty(); }
    // The text of a file of scenario's keys with the settings among them; any other text, and one with a
    // slip, is the same as before.
    std::string putInto(std::string_view text) const;
    // What putInto() could not set: all settings where the reading is of another text, those of the cluster
    // where another one took its place (`replaces_cluster`). Error: as of readScenario.
    Result<bool> putInto(ScenarioReading& reading, const Presets& presets, bool replaces_cluster) const;

private:
    struct Setting {
        std::string key;  // whole
        std::string json; // its value
        bool isOf(std::string_view section) const { return key.starts_with(section); }
    };

    std::vector<Setting> m_settings;
};

} // namespace shardscope

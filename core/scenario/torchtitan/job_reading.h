#pragma once

#include "core/scenario/torchtitan/job_keys.h"
#include "core/scenario/torchtitan/torchtitan_run.h"
#include "core/scenario/words.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardscope
{

// A job configuration on its way into a run, and what each figure was told by.
struct JobReading {
    JobKeys& keys;
    TorchtitanRun& run;

    // The keys of all these groups that are written are the evidence; none of them is: nothing is told.
    void tell(std::string_view key, std::string value, std::initializer_list<KeyPaths> groups);
    void tell(std::string_view key, std::int64_t value, std::initializer_list<KeyPaths> groups)
    {
        tell(key, std::to_string(value), groups);
    }
    void tellFlag(std::string_view key, bool value, std::initializer_list<KeyPaths> groups)
    {
        tell(key, std::string{value ? "true" : "false"}, groups);
    }
    template<class Enum>
    void tellWord(std::string_view key, Enum value, std::initializer_list<KeyPaths> groups)
    {
        tell(key, std::string{word(value)}, groups);
    }
    void noteIf(bool holds, std::string sentence)
    {
        if (holds)
            run.notes.push_back(std::move(sentence));
    }
};

// Whether torch.compile takes the model, and not the loss alone.
bool compilesModel(JobKeys& keys);

// In this order: each looks at what the ones before it have set. Conventions are set by default in between.
void readJobModel(JobReading& reading, const Presets& presets, const Model& otherwise);
void readJobFormats(JobReading& reading);
void readJobRecomputation(JobReading& reading);
void readJobLayout(JobReading& reading); // degrees, the pipeline, experts
void readJobBatch(JobReading& reading);
Framework readJobSharding(JobReading& reading); // by FSDP, or DDP's replicas
void readJobMessages(JobReading& reading);      // what of the conventions single keys set

} // namespace shardscope

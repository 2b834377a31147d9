#pragma once

#include "core/scenario/megatron/megatron_run.h"
#include "core/scenario/megatron/run_arguments.h"
#include "core/scenario/words.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope
{

// Of any model, many times over: text that lists more is none that is to be read.
inline constexpr std::int64_t most_listed_layers = 100'000;

// Arguments on their way into a run, and what each figure was told by.
struct ArgumentReading {
    const RunArguments& arguments;
    MegatronRun& run;

    // Of the names those that are listed are the evidence; none of them is: nothing is told. A size that is
    // none is no evidence, and a note says what is taken in its place.
    void tell(std::string_view key, std::string value, std::initializer_list<std::string_view> names);
    void tell(std::string_view key, std::int64_t value, std::initializer_list<std::string_view> names)
    {
        tell(key, std::to_string(value), names);
    }
    void tellFlag(std::string_view key, bool value, std::initializer_list<std::string_view> names)
    {
        tell(key, std::string{value ? "true" : "false"}, names);
    }
    // Of an argument that lists all layers; a long list is no evidence to read, and its name is told alone.
    void tellByList(std::string_view key, std::string value, std::string_view name);
    void noteIf(bool holds, std::string sentence)
    {
        if (holds)
            run.notes.push_back(std::move(sentence));
    }
};

// Ranks of the run, as its table or what starts its processes tells; nothing: nobody does.
std::optional<std::int64_t> worldOf(const RunArguments& arguments);

// Bytes of a number in the format that a command line names ("bf16") or a table ("torch.bfloat16"); nothing:
// not told, or no format that is known.
std::optional<int> bytesOfDtype(const RunArguments& arguments, std::string_view name);

// In this order: each looks at what the ones before it have set.
void readModel(ArgumentReading& reading);
// Of a hybrid model whose pattern tells them: layers, and modules for further tokens.
bool readHybridSizes(ArgumentReading& reading);
void readExperts(ArgumentReading& reading);
void readLayerForms(ArgumentReading& reading); // what stands in the place of attention, and on which layers
void readFormats(ArgumentReading& reading);    // precision, recomputation, optimizer
void readStates(ArgumentReading& reading);
void readLayout(ArgumentReading& reading);
void readStages(ArgumentReading& reading);
void readBatch(ArgumentReading& reading);
void readConventions(ArgumentReading& reading);

} // namespace shardscope

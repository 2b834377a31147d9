#include "core/lesson/lesson.h"

#include "core/scenario/json_text.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/object_reader.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace shardscope
{

namespace
{

using nlohmann::json;

constexpr std::int64_t known_version = 1;
constexpr std::array<std::string_view, 5> lesson_keys{"lesson", "title", "about", "scenario", "steps"};
constexpr std::array<std::string_view, 7> step_keys{"question", "figure",  "choices", "setting",
                                                    "change",   "because", "picture"};

// A lesson has keys of its own, so that none of a scenario can be meant.
std::string unknownKey(const json& object, std::span<const std::string_view> known)
{
    for (const auto& item : object.items())
        if (std::ranges::find(known, item.key()) == known.end())
            return excerpt(item.key()) + " is not a known key; the nearest one is "
                   + nearestWord(item.key(), {known.begin(), known.end()});
    return {};
}

std::string readText(ObjectReader& reader, std::string_view key, const char* what)
{
    std::string text;
    reader(key, text);
    if (text.empty())
        reader.fail(key, std::string{"is missing; give it "} + what);
    return text;
}

const LessonFigure* readFigure(ObjectReader& reader)
{
    const std::string key = readText(reader, "figure", "the figure that is asked for");
    const LessonFigure* figure = lessonFigure(key);
    if (figure != nullptr)
        return figure;
    std::vector<std::string> keys;
    for (const LessonFigure& each : lessonFigures())
        keys.emplace_back(each.key);
    reader.fail("figure",
                "is " + excerpt(key) + ", which is none; the nearest one is " + nearestWord(key, keys));
    return nullptr;
}

std::vector<double> readChoices(ObjectReader& reader, const json& step)
{
    constexpr const char* rule =
        "must be a list of two or more factors above 0, each larger than the one before: [0.5, 1, 2]";
    reader.ignore("choices");
    const auto found = step.find("choices");
    const auto is_number = [](const json& factor) { return factor.is_number(); };
    if (found == step.end() || !found->is_array() || !std::ranges::all_of(*found, is_number)) {
        reader.fail("choices", rule);
        return {};
    }
    const auto choices = found->get<std::vector<double>>();
    const bool ascend = std::ranges::adjacent_find(choices, std::ranges::greater_equal{}) == choices.end();
    if (choices.size() < 2 || choices.front() <= 0.0 || !ascend)
        reader.fail("choices", rule);
    return choices;
}

// A scenario file may leave something to assume and say so; nobody reads that beside a question.
Scenario readWhole(const json& text, const Presets& presets, const std::string& place, std::string& failure)
{
    Result<ScenarioReading> reading = readScenario(text.dump(), presets);
    std::string amiss;
    if (!reading)
        amiss = reading.error().sentence;
    else if (!reading.value().warnings.empty())
        amiss = reading.value().warnings.front();
    if (amiss.empty())
        return std::move(reading).value().scenario;
    if (failure.empty())
        failure = place + ": " + amiss;
    return {};
}

// `text` is what the scenario's file would hold: it comes as the last step left it, and goes as this one
// does.
LessonStep readStep(const json& object, const std::string& path, json& text, const Presets& presets,
                    std::string& failure)
{
    LessonStep step;
    ObjectReader reader{object, path, failure};
    step.question = readText(reader, "question", "what is asked");
    step.figure = readFigure(reader);
    step.choices = readChoices(reader, object);
    step.because = readText(reader, "because", "what explains the answer");
    step.picture = readText(reader, "picture", "the key of the picture that shows the answer");
    if (const json* setting = reader.section("setting"))
        text.merge_patch(*setting);
    const json* change = reader.section("change");
    if (change == nullptr)
        reader.fail("change", "is missing; give it the keys of the scenario that change");
    if (!failure.empty())
        return step;
    step.before = readWhole(text, presets, path + ", before the change", failure);
    text.merge_patch(*change);
    step.after = readWhole(text, presets, path + ", after the change", failure);
    if (step.before == step.after)
        reader.fail("change", "leaves the scenario as it is; give a key another value");
    return step;
}

void readSteps(const json& file, Lesson& lesson, const Presets& presets, std::string& failure)
{
    json text = file.at("scenario");
    const json& steps = file.at("steps");
    for (std::size_t i = 0; i < steps.size() && failure.empty(); ++i) {
        const std::string path = "steps[" + std::to_string(i) + "]";
        if (!steps[i].is_object())
            failure = path + " is " + excerpt(steps[i]) + "; it must be an object with question and change";
        else if (const std::string unknown = unknownKey(steps[i], step_keys); !unknown.empty())
            failure = path + ": " + unknown;
        else
            lesson.steps.push_back(readStep(steps[i], path, text, presets, failure));
    }
}

} // namespace

Result<Lesson> readLesson(std::string_view text, const Presets& presets)
{
    const Result<json> file = parseJson(text);
    if (!file)
        return file.error();
    const json& object = file.value();
    if (!object.is_object())
        return Error{"a lesson is a JSON object: {\"lesson\": 1, ...}"};
    std::string failure = unknownKey(object, lesson_keys);
    Lesson lesson;
    ObjectReader reader{object, "", failure};
    std::int64_t version = 0;
    reader("lesson", version);
    if (version != known_version)
        reader.fail("lesson", "must be 1, the version of the lesson format that this program reads");
    lesson.title = readText(reader, "title", "the lesson's name");
    lesson.about = readText(reader, "about", "what is learnt");
    if (reader.section("scenario") == nullptr)
        reader.fail("scenario", "is missing; give it the scenario that the lesson begins with");
    const auto steps = object.find("steps");
    if (steps == object.end() || !steps->is_array() || steps->empty())
        reader.fail("steps", "must be a list of steps, each with its question");
    if (failure.empty())
        readSteps(object, lesson, presets, failure);
    if (!failure.empty())
        return Error{failure};
    return lesson;
}

} // namespace shardscope

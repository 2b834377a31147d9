#pragma once

#include "core/base/result.h"
#include "core/lesson/lesson_figure.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// One change of a scenario, and how many times a figure is what it was: guessed first, then seen.
struct LessonStep {
    std::string question;
    const LessonFigure* figure = nullptr;
    std::vector<double> choices; // factors, ascending
    std::string because;         // shown after the guess
    std::string picture;         // the key of the picture that shows it best: "memory"
    Scenario before;
    Scenario after;
};

// Steps of which each begins where the last one ended, or near it.
struct Lesson {
    std::string key; // the file's name: "03-pipelines"
    std::string title;
    std::string about;
    std::vector<LessonStep> steps;
};

// What predict() says; no file holds it.
struct LessonAnswer {
    double before = 0.0;
    double after = 0.0;
    std::size_t right = 0; // of the choices: the nearest, by ratio

    double factor() const { return after / before; }
};

// Reads the *.lesson.json format:
// {"lesson": 1, "title", "about", "scenario": {as its files have it}, "steps": [{"question", "figure",
// "choices": [0.5, 1, 2], "setting": {}, "change": {}, "because", "picture"}]}. `setting`, which may be left
// out, leads from where the last step ended to the scenario before, and `change` to the one after: merge
// patches (RFC 7386) of the scenario's text, so that what it leaves out follows what they set. The lesson's
// key stays empty. Error: no such file, a scenario that leaves something to assume, or a change that changes
// nothing.
Result<Lesson> readLesson(std::string_view json, const Presets& presets);

struct Lessons {
    std::vector<Lesson> lessons;
    std::vector<std::string> problems; // sentences, each with its file
};
// All *.lesson.json of a folder, by the numbers that their names begin with. One that is wrong is left out.
Lessons loadLessons(const std::filesystem::path& folder, const Presets& presets);

// Error: one of the step's scenarios cannot be trained, or its figure is nothing before or after.
Result<LessonAnswer> answerOf(const LessonStep& step);

// "1/8", "the same" (within half a percent), "1.5 x", "0.28 x".
std::string factorText(double factor);

} // namespace shardscope

#include "core/lesson/lesson.h"

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/prediction/predict.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

constexpr std::string_view file_ending = ".lesson.json";

// Files without a number come last.
std::pair<int, std::string> placeOf(const fs::path& file)
{
    const std::string name = file.filename().string();
    int number = std::numeric_limits<int>::max();
    std::from_chars(name.data(), name.data() + name.size(), number);
    return {number, name};
}

std::vector<fs::path> lessonFiles(const fs::path& folder, std::vector<std::string>& problems)
{
    std::error_code problem;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder, problem})
        if (entry.path().filename().string().ends_with(file_ending))
            files.push_back(entry.path());
    if (problem)
        problems.push_back(folder.string() + ": the folder of lessons cannot be read (" + problem.message()
                           + ")");
    std::ranges::sort(files, {}, placeOf);
    return files;
}

Result<Lesson> readLessonFile(const fs::path& file, const Presets& presets)
{
    constexpr std::uintmax_t largest_lesson = 16U << 20U;
    const Result<std::string> text = readFile(file, largest_lesson);
    if (!text)
        return text.error();
    Result<Lesson> lesson = readLesson(text.value(), presets);
    if (!lesson)
        return lesson;
    const std::string name = file.filename().string();
    lesson.value().key = name.substr(0, name.size() - file_ending.size());
    return lesson;
}

Result<double> figureOf(const LessonStep& step, const Scenario& scenario, const std::string& place)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return Error{"the scenario " + place
                     + " the change cannot be trained: " + prediction.error().sentence};
    const double value = step.figure->of(prediction.value());
    if (!(value > 0.0))
        return Error{std::string{step.figure->key} + " is 0 " + place
                     + " the change, and nothing is a factor of that; ask for another figure"};
    return value;
}

// How far a choice is from the factor: 0 where it is the same, alike for twice and for half of it.
double distance(double choice, double factor)
{
    return std::fabs(std::log(choice / factor));
}

bool isNear(double value, double whole, double tolerance)
{
    return std::fabs(value / whole - 1.0) <= tolerance;
}

} // namespace

Lessons loadLessons(const fs::path& folder, const Presets& presets)
{
    Lessons loaded;
    for (const fs::path& file : lessonFiles(folder, loaded.problems)) {
        Result<Lesson> lesson = readLessonFile(file, presets);
        if (lesson)
            loaded.lessons.push_back(std::move(lesson).value());
        else
            loaded.problems.push_back(file.string()
                                      + ": this lesson is left out: " + lesson.error().sentence);
    }
    return loaded;
}

Result<LessonAnswer> answerOf(const LessonStep& step)
{
    const Result<double> before = figureOf(step, step.before, "before");
    if (!before)
        return before.error();
    const Result<double> after = figureOf(step, step.after, "after");
    if (!after)
        return after.error();
    LessonAnswer answer{before.value(), after.value(), 0};
    const auto nearest = std::ranges::min_element(
        step.choices, {}, [&](double choice) { return distance(choice, answer.factor()); });
    answer.right = static_cast<std::size_t>(nearest - step.choices.begin());
    return answer;
}

std::string factorText(double factor)
{
    if (!std::isfinite(factor))
        return "–";
    if (isNear(factor, 1.0, 0.005))
        return "the same";
    // What two digits do not tell from a part is that part.
    const double parts = std::round(1.0 / factor);
    if (factor < 1.0 && factor > 0.01 && isNear(factor * parts, 1.0, 0.01))
        return "1/" + formatTrimmed(parts, 0);
    const int places = factor < 0.1 ? 3 : factor < 10.0 ? 2 : factor < 100.0 ? 1 : 0;
    return formatTrimmed(factor, places) + " x";
}

} // namespace shardscope

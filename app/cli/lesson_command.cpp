#include "app/cli/lesson_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "core/base/resources.h"
#include "core/report/lesson_report.h"
#include "core/scenario/nearest_key.h"
#include "core/scenario/own_presets.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

namespace
{

// "03-pipelines" is called "pipelines", too.
std::string_view withoutNumber(std::string_view key)
{
    const std::size_t dash = key.find('-');
    const bool has_number = dash != std::string_view::npos && key.find_first_not_of("0123456789") == dash;
    return has_number ? key.substr(dash + 1) : key;
}

const Lesson* lessonNamed(std::string_view name, const std::vector<Lesson>& lessons)
{
    for (const Lesson& lesson : lessons)
        if (name == lesson.key || name == withoutNumber(lesson.key))
            return &lesson;
    return nullptr;
}

std::string noSuchLesson(const std::string& name, const std::vector<Lesson>& lessons)
{
    std::vector<std::string> names;
    for (const Lesson& lesson : lessons)
        names.emplace_back(withoutNumber(lesson.key));
    const std::string sentence = "lesson: there is no lesson \"" + name + "\"";
    return names.empty() ? sentence
                         : sentence + "; the nearest one is " + nearestWord(name, names)
                               + "; \"lesson\" alone lists all";
}

int printList(const std::vector<Lesson>& lessons, bool as_json)
{
    return print(as_json ? lessonsJson(lessons) + "\n" : lessonsText(lessons));
}

} // namespace

int lessonCommand(const Arguments& arguments)
{
    if (arguments.paths.size() > 1)
        return fail(exit_wrong_usage, "lesson takes one name; usage: " + usageOf(*commandNamed("lesson")));
    const auto presets = loadPresets();
    if (!presets)
        return fail(exit_bad_input, presets.error().sentence);
    const Lessons loaded = loadLessons(resourcesFolder() / "lessons", presets.value());
    for (const std::string& problem : loaded.problems)
        warn(problem);
    const bool as_json = arguments.has("--json");
    if (arguments.paths.empty())
        return printList(loaded.lessons, as_json);
    const std::string& name = arguments.paths.front();
    const Lesson* lesson = lessonNamed(name, loaded.lessons);
    if (lesson == nullptr)
        return fail(exit_wrong_usage, noSuchLesson(name, loaded.lessons));
    return print(as_json ? lessonJson(*lesson) + "\n" : lessonText(*lesson));
}

} // namespace shardscope

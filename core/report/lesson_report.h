#pragma once

#include "core/lesson/lesson.h"

#include <string>
#include <vector>

namespace shardscope
{

// The lessons that there are: {"lessons": [{"key", "title", "about"}]}, and for people.
std::string lessonsJson(const std::vector<Lesson>& lessons, int indent = 2);
std::string lessonsText(const std::vector<Lesson>& lessons);

// A teacher's sheet: every question with its choices, the answer as predicted, and why. {"key", "title",
// "about", "steps": [{"question", "figure", "title", "changes": [{"key", "before", "after"}], "choices",
// "before", "after", "factor", "right", "because", "picture"}]}; `right` counts the choices from 0, and
// `problem` stands in the place of the figures where a scenario cannot be trained.
std::string lessonJson(const Lesson& lesson, int indent = 2);
std::string lessonText(const Lesson& lesson);

} // namespace shardscope

#include "core/report/lesson_report.h"

#include "core/base/json_writer.h"
#include "core/report/change_report.h"
#include "core/scenario/scenario_difference.h"

#include <algorithm>
#include <cstddef>

namespace shardscope
{

namespace
{

constexpr std::size_t line_width = 100;

void writeCaption(const Lesson& lesson, JsonWriter& json)
{
    json.member("key", lesson.key);
    json.member("title", lesson.title);
    json.member("about", lesson.about);
}

void writeAnswer(const LessonStep& step, JsonWriter& json)
{
    const Result<LessonAnswer> answer = answerOf(step);
    if (!answer)
        return json.member("problem", answer.error().sentence);
    json.member("before", answer.value().before);
    json.member("after", answer.value().after);
    json.member("factor", answer.value().factor());
    json.member("right", answer.value().right);
}

void write(const LessonStep& step, JsonWriter& json)
{
    json.beginObject();
    json.member("question", step.question);
    json.member("figure", step.figure->key);
    json.member("title", step.figure->title);
    json.key("changes");
    writeDifferences(differences(step.before, step.after), json);
    json.key("choices");
    json.beginArray(JsonWriter::Layout::line);
    for (const double choice : step.choices)
        json.value(choice);
    json.endArray();
    writeAnswer(step, json);
    json.member("because", step.because);
    json.member("picture", step.picture);
    json.endObject();
}

// A paragraph in lines of a page's width; the first begins with `mark`, the others as far in.
std::string paragraph(const std::string& mark, const std::string& text)
{
    const std::string margin(mark.size(), ' ');
    std::string wrapped;
    std::string line = mark;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (line.size() > mark.size() && line.size() + 1 + word.size() > line_width) {
            wrapped += line + '\n';
            line = margin;
        }
        line += (line.size() > mark.size() ? " " : "") + word;
        begin = end + 1;
    }
    return wrapped + line + '\n';
}

std::string changesText(const LessonStep& step)
{
    std::string text;
    for (const ScenarioDifference& each : differences(step.before, step.after))
        text += (text.empty() ? "" : ", ") + each.key + ' ' + (each.before.empty() ? "–" : each.before)
                + " → " + (each.after.empty() ? "–" : each.after);
    return text;
}

// "1/8 (right) · 1/2 · the same"
std::string choicesText(const LessonStep& step, const Result<LessonAnswer>& answer)
{
    std::string text;
    for (std::size_t i = 0; i < step.choices.size(); ++i)
        text += (i > 0 ? " · " : "") + factorText(step.choices[i])
                + (answer && i == answer.value().right ? " (right)" : "");
    return text;
}

// "optimizer states on the fullest GPU: 75.3 GiB → 9.41 GiB, 1/8"
std::string answerText(const LessonFigure& figure, const Result<LessonAnswer>& answer)
{
    if (!answer)
        return answer.error().sentence;
    return std::string{figure.title} + ": " + figure.text(answer.value().before) + " → "
           + figure.text(answer.value().after) + ", " + factorText(answer.value().factor());
}

std::string stepText(std::size_t number, const LessonStep& step)
{
    const Result<LessonAnswer> answer = answerOf(step);
    std::string text = paragraph(std::to_string(number) + ". ", step.question);
    text += paragraph("   change:  ", changesText(step));
    text += paragraph("   choices: ", choicesText(step, answer));
    text += paragraph("   answer:  ", answerText(*step.figure, answer));
    return text + paragraph("   because: ", step.because);
}

} // namespace

std::string lessonsJson(const std::vector<Lesson>& lessons, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    json.key("lessons");
    json.beginArray();
    for (const Lesson& lesson : lessons) {
        json.beginObject();
        writeCaption(lesson, json);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.take();
}

std::string lessonsText(const std::vector<Lesson>& lessons)
{
    std::string text;
    for (const Lesson& lesson : lessons)
        text += (text.empty() ? "" : "\n") + lesson.key + ": " + lesson.title + '\n'
                + paragraph("    ", lesson.about);
    return text;
}

std::string lessonJson(const Lesson& lesson, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    writeCaption(lesson, json);
    json.key("steps");
    json.beginArray();
    for (const LessonStep& step : lesson.steps)
        write(step, json);
    json.endArray();
    json.endObject();
    return json.take();
}

std::string lessonText(const Lesson& lesson)
{
    std::string text = lesson.title + '\n' + paragraph("", lesson.about);
    for (std::size_t i = 0; i < lesson.steps.size(); ++i)
        text += '\n' + stepText(i + 1, lesson.steps[i]);
    return text;
}

} // namespace shardscope

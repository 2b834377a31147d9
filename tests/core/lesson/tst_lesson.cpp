#include <QTest>

#include <QTemporaryDir>

#include "core/lesson/lesson.h"
#include "tests/core/shipped_presets.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace shardscope;
using nlohmann::json;

namespace
{

json goodLesson()
{
    return json::parse(R"({
        "lesson": 1, "title": "Memory", "about": "What a GPU holds",
        "scenario": {"model": {"preset": "gpt3-125m"},
                     "training": {"global_batch_size": 64, "micro_batch_size": 2},
                     "parallel": {"data": 8}, "cluster": {"preset": "dgx-a100"}},
        "steps": [
            {"question": "ZeRO 1?", "figure": "optimizer_bytes", "choices": [0.125, 0.5, 1],
             "change": {"parallel": {"zero_stage": 1}}, "because": "Split.", "picture": "memory"},
            {"question": "More tokens?", "figure": "activations_bytes", "choices": [0.5, 1, 2],
             "setting": {"parallel": {"zero_stage": null}, "model": {"layers": 6}},
             "change": {"training": {"micro_batch_size": 4}}, "because": "Rows.", "picture": "memory"}]
    })");
}

Result<Lesson> read(const json& lesson)
{
    return readLesson(lesson.dump(), shipped());
}

std::vector<LessonStep> goodSteps()
{
    return read(goodLesson()).value().steps;
}

void write(const QTemporaryDir& folder, const char* name, const std::string& text)
{
    std::ofstream{folder.filePath(name).toStdString()} << text;
}

} // namespace

// Lesson files, and the answers to their questions.
class TestLesson : public QObject
{
    Q_OBJECT
private slots:
    void aLessonIsReadAsItStands()
    {
        const auto lesson = read(goodLesson());
        QVERIFY2(lesson, lesson ? "" : lesson.error().sentence.c_str());
        QCOMPARE(lesson.value().title, std::string{"Memory"});
        QCOMPARE(lesson.value().about, std::string{"What a GPU holds"});
        QCOMPARE(lesson.value().steps.size(), std::size_t{2});
        const LessonStep& step = lesson.value().steps.front();
        QCOMPARE(step.question, std::string{"ZeRO 1?"});
        QCOMPARE(step.figure, lessonFigure("optimizer_bytes"));
        QCOMPARE(step.choices, (std::vector<double>{0.125, 0.5, 1.0}));
        QCOMPARE(step.because, std::string{"Split."});
        QCOMPARE(step.picture, std::string{"memory"});
    }

    void aChangeLeadsFromBeforeToAfterAndNothingElse()
    {
        for (const LessonStep& step : goodSteps()) {
            Scenario changed = step.before;
            changed.parallel.zero_stage = step.after.parallel.zero_stage;
            changed.training.micro_batch_size = step.after.training.micro_batch_size;
            // What follows from the stage.
            changed.conventions = step.after.conventions;
            QVERIFY(!(step.before == step.after));
            QVERIFY(changed == step.after);
        }
    }

    void aStepBeginsWhereTheLastOneEndedAndASettingMovesIt()
    {
        json lesson = goodLesson();
        lesson["steps"][1].erase("setting");
        const auto chained = read(lesson).value().steps;
        QVERIFY(chained[1].before == chained[0].after);
        const auto moved = goodSteps();
        QCOMPARE(moved[0].before.model.layers, 12);
        QCOMPARE(moved[1].before.model.layers, 6);
        QCOMPARE(moved[1].after.model.layers, 6);
    }

    void aPatchOfNullLeavesTheKeyToItsDefault()
    {
        QCOMPARE(goodSteps()[0].after.parallel.zero_stage, 1);
        QCOMPARE(goodSteps()[1].before.parallel.zero_stage, 0);
    }

    void whatTheScenarioLeavesOutFollowsThePatches()
    {
        json lesson = goodLesson();
        lesson["steps"][0]["change"] = {{"model", {{"hidden_size", 1536}}}};
        const LessonStep step = read(lesson).value().steps.front();
        QCOMPARE(step.before.model.ffn_hidden_size, 4 * step.before.model.hidden_size);
        QCOMPARE(step.after.model.ffn_hidden_size, 4 * 1536);
    }

    void mistakesAreToldInASentence_data()
    {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, const char* patch, const char* part) {
            QTest::newRow(name) << patch << part;
        };
        row("another version", R"({"lesson": 2})", "lesson must be 1");
        row("no version", R"({"lesson": null})", "lesson");
        row("no title", R"({"title": ""})", "title is missing");
        row("a title that is none", R"({"title": 3})", "title is 3; it must be text");
        row("nothing learnt", R"({"about": ""})", "about is missing");
        row("unknown key", R"({"titel": "x"})", "\"titel\" is not a known key; the nearest one is title");
        row("no scenario", R"({"scenario": "gpt"})", "scenario is \"gpt\"; it must be an object");
        row("a scenario with a wrong key", R"({"scenario": {"model": {"layrs": 3}}})",
            "steps[0], before the change: model.layrs is not a known key");
        row("a scenario that leaves something to assume", R"({"scenario": {"cluster": {"gpu": "Z9"}}})",
            "Z9");
        row("no steps", R"({"steps": []})", "steps must be a list of steps");
        row("steps that are none", R"({"steps": {"question": "?"}})", "steps must be a list of steps");
        row("a step that is none", R"({"steps": ["?"]})", "steps[0] is \"?\"; it must be an object");
    }
    void mistakesAreToldInASentence()
    {
        QFETCH(QString, patch);
        QFETCH(QString, part);
        json lesson = goodLesson();
        lesson.merge_patch(json::parse(patch.toStdString()));
        isRefused(lesson, part);
    }

    void mistakesInAStepNameIt_data()
    {
        QTest::addColumn<QString>("patch");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, const char* patch, const char* part) {
            QTest::newRow(name) << patch << part;
        };
        row("no question", R"({"question": null})", "steps[1].question is missing");
        row("no explanation", R"({"because": null})", "steps[1].because is missing");
        row("no picture", R"({"picture": null})", "steps[1].picture is missing");
        row("unknown key", R"({"setings": {}})",
            "steps[1]: \"setings\" is not a known key; the nearest one is setting");
        row("no figure", R"({"figure": null})", "steps[1].figure is missing");
        row("unknown figure", R"({"figure": "activation_bytes"})", "the nearest one is activations_bytes");
        row("no choices", R"({"choices": null})", "steps[1].choices must be a list");
        row("one choice", R"({"choices": [1]})", "steps[1].choices must be a list");
        row("a choice of nothing", R"({"choices": [0, 1]})", "steps[1].choices must be a list");
        row("choices that fall", R"({"choices": [2, 1]})", "each larger than the one before");
        row("a choice twice", R"({"choices": [1, 1]})", "each larger than the one before");
        row("words", R"({"choices": ["half", "twice"]})", "steps[1].choices must be a list");
        row("a setting that is none", R"({"setting": 3})", "steps[1].setting is 3; it must be an object");
        row("no change", R"({"change": null})", "steps[1].change is missing");
        row("a change that is none", R"({"change": 3})", "steps[1].change is 3; it must be an object");
        row("a change of nothing", R"({"change": {}})", "steps[1].change leaves the scenario as it is");
        row("a setting with a wrong key", R"({"setting": {"paralel": {}}})",
            "steps[1], before the change: paralel is not a known key");
        row("a change with a wrong word", R"({"change": {"training": {"recompute": "half"}}})",
            "steps[1], after the change: training.recompute is \"half\"");
    }
    void mistakesInAStepNameIt()
    {
        QFETCH(QString, patch);
        QFETCH(QString, part);
        json lesson = goodLesson();
        json& step = lesson["steps"][1];
        // Not a merge of the step: null takes a key out, and a change is exchanged.
        const json patches = json::parse(patch.toStdString());
        for (const auto& [key, value] : patches.items())
            if (value.is_null())
                step.erase(key);
            else
                step[key] = value;
        isRefused(lesson, part);
    }

    void whatIsNoObjectIsRefused()
    {
        QVERIFY(!readLesson("", shipped()));
        QVERIFY(!readLesson("[]", shipped()));
        QVERIFY(!readLesson("{\"lesson\": 1,", shipped()));
    }

    void theAnswerIsPredictedFromBothScenarios()
    {
        const auto steps = goodSteps();
        const auto states = answerOf(steps[0]);
        QVERIFY2(states, states ? "" : states.error().sentence.c_str());
        QCOMPARE(states.value().factor(), 0.125);
        QCOMPARE(states.value().right, std::size_t{0});
        QCOMPARE(states.value().before, 8.0 * states.value().after);
        QCOMPARE(answerOf(steps[1]).value().right, std::size_t{2});
    }

    void theRightChoiceIsTheNearestByRatio()
    {
        LessonStep step = goodSteps()[0];
        // 1/8 is twice 1/16 and a third of 3/8, though the latter is further only by difference.
        step.choices = {0.0625, 0.2};
        QCOMPARE(answerOf(step).value().right, std::size_t{1});
        step.choices = {0.07, 0.25};
        QCOMPARE(answerOf(step).value().right, std::size_t{0});
    }

    void whatCannotBeTrainedIsTold()
    {
        LessonStep step = goodSteps()[0];
        step.after.parallel.data = 7;
        const auto answer = answerOf(step);
        QVERIFY(!answer);
        QVERIFY(QString::fromStdString(answer.error().sentence)
                    .startsWith("the scenario after the change cannot be trained: "));
    }

    void nothingHasNoFactor()
    {
        LessonStep step = goodSteps()[0];
        step.figure = lessonFigure("tp_calls");
        const auto answer = answerOf(step);
        QVERIFY(!answer);
        QVERIFY(
            QString::fromStdString(answer.error().sentence).startsWith("tp_calls is 0 before the change"));
    }

    void factorsAreReadAtAGlance_data()
    {
        QTest::addColumn<double>("factor");
        QTest::addColumn<QString>("text");
        const auto row = [](double factor, const char* text) {
            QTest::addRow("%g", factor) << factor << text;
        };
        row(0.125, "1/8");
        row(0.5, "1/2");
        row(0.503, "1/2");
        row(0.3333, "1/3");
        row(0.01, "0.01 x");
        row(0.093, "0.093 x");
        row(0.28, "0.28 x");
        row(0.7, "0.7 x");
        row(0.97, "0.97 x");
        row(0.996, "the same");
        row(1.0, "the same");
        row(1.004, "the same");
        row(1.07, "1.07 x");
        row(1.25, "1.25 x");
        row(1.5, "1.5 x");
        row(2.0, "2 x");
        row(2.004, "2 x");
        row(12.34, "12.3 x");
        row(250.0, "250 x");
    }
    void factorsAreReadAtAGlance()
    {
        QFETCH(double, factor);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(factorText(factor)), text);
    }

    void lessonsComeByTheirNumbers()
    {
        QTemporaryDir folder;
        const std::string good = goodLesson().dump();
        for (const char* name : {"10-c.lesson.json", "2-b.lesson.json", "01-a.lesson.json", "z.lesson.json"})
            write(folder, name, good);
        write(folder, "readme.txt", "no lesson");
        const Lessons loaded = loadLessons(folder.path().toStdString(), shipped());
        QVERIFY(loaded.problems.empty());
        QStringList keys;
        for (const Lesson& lesson : loaded.lessons)
            keys << QString::fromStdString(lesson.key);
        QCOMPARE(keys, (QStringList{"01-a", "2-b", "10-c", "z"}));
    }

    void aFileThatIsWrongIsLeftOutAndTold()
    {
        QTemporaryDir folder;
        write(folder, "01-a.lesson.json", "{\"lesson\": 1}");
        write(folder, "02-b.lesson.json", goodLesson().dump());
        const Lessons loaded = loadLessons(folder.path().toStdString(), shipped());
        QCOMPARE(loaded.lessons.size(), std::size_t{1});
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        const auto problem = QString::fromStdString(loaded.problems.front());
        QVERIFY2(problem.contains("01-a.lesson.json: this lesson is left out: title"), qPrintable(problem));
    }

    void aFolderThatIsNotThereIsTold()
    {
        const Lessons loaded = loadLessons("/nowhere", shipped());
        QVERIFY(loaded.lessons.empty());
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(loaded.problems.front()).startsWith("/nowhere: "));
    }

private:
    static void isRefused(const json& lesson, const QString& part)
    {
        const auto refused = read(lesson);
        QVERIFY(!refused);
        QVERIFY2(QString::fromStdString(refused.error().sentence).contains(part),
                 refused.error().sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(TestLesson)
#include "tst_lesson.moc"

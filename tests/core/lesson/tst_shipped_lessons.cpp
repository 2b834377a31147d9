#include <QTest>

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include "core/base/file.h"
#include "core/base/resources.h"
#include "core/lesson/lesson.h"
#include "core/scenario/scenario_difference.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/shipped_presets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace shardscope;

namespace
{

const Lessons& lessons()
{
    static const Lessons loaded = loadLessons(resourcesFolder() / "lessons", shipped());
    return loaded;
}

// How many times the larger is the smaller.
double apart(double one, double other)
{
    return std::max(one / other, other / one);
}

// The last words of the keys that a patch sets: "zero_stage", "bandwidth_GBps".
void addKeys(const nlohmann::json& patch, std::set<std::string>& keys)
{
    for (const auto& [key, value] : patch.items())
        if (value.is_object())
            addKeys(value, keys);
        else
            keys.insert(key);
}

nlohmann::json fileOf(const Lesson& lesson)
{
    const auto text = readFile(resourcesFolder() / "lessons" / (lesson.key + ".lesson.json"), 1 << 20);
    return nlohmann::json::parse(text.value());
}

} // namespace

// What a student is asked has one answer that is clear, and the program gives it.
class TestShippedLessons : public QObject
{
    Q_OBJECT
private slots:
    void allOfThemAreRead()
    {
        for (const std::string& problem : lessons().problems)
            qWarning("%s", problem.c_str());
        QVERIFY(lessons().problems.empty());
        QVERIFY(lessons().lessons.size() >= 6);
        for (const Lesson& lesson : lessons().lessons)
            QVERIFY2(lesson.steps.size() >= 4 && lesson.steps.size() <= 6, lesson.key.c_str());
    }

    void bothScenariosCanBeTrained_data() { everyStep(); }
    void bothScenariosCanBeTrained()
    {
        for (const Scenario& scenario : {step().before, step().after})
            for (const Problem& problem : validate(scenario))
                QFAIL(problem.sentence.c_str());
    }

    void oneChoiceIsRightAndTheOthersAreNot_data() { everyStep(); }
    void oneChoiceIsRightAndTheOthersAreNot()
    {
        const auto answer = answerOf(step());
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        QVERIFY(answer.value().before > 0.0 && answer.value().after > 0.0);
        const double factor = answer.value().factor();
        for (std::size_t i = 0; i < step().choices.size(); ++i) {
            const double off = apart(step().choices[i], factor);
            const std::string text = factorText(step().choices[i]) + " for " + std::to_string(factor);
            if (i == answer.value().right)
                QVERIFY2(off <= 1.12, text.c_str());
            else
                QVERIFY2(off >= 1.25, text.c_str());
        }
    }

    void choicesReadDifferently_data() { everyStep(); }
    void choicesReadDifferently()
    {
        std::set<std::string> texts;
        for (const double choice : step().choices)
            texts.insert(factorText(choice));
        QCOMPARE(texts.size(), step().choices.size());
    }

    // Besides it, only what follows from it by default: conventions of the ZeRO stage, sizes.
    void beforeAndAfterDifferByTheChangeAlone_data() { everyStep(); }
    void beforeAndAfterDifferByTheChangeAlone()
    {
        QFETCH(std::size_t, lesson);
        QFETCH(std::size_t, number);
        std::set<std::string> changed;
        addKeys(fileOf(lessons().lessons[lesson]).at("steps").at(number).at("change"), changed);
        const std::set<std::string> follows{"dp_overlap", "param_overlap", "dp_reduction", "dp_bucket_bytes",
                                            "zero_reduction"};
        for (const ScenarioDifference& each : differences(step().before, step().after)) {
            const std::string key = each.key.substr(each.key.rfind('.') + 1);
            QVERIFY2(changed.contains(key) || follows.contains(key), each.key.c_str());
        }
    }

    void thePictureIsOneOfTheWindow_data() { everyStep(); }
    void thePictureIsOneOfTheWindow()
    {
        static const std::set<std::string> pictures = picturesOfTheWindow();
        QVERIFY(pictures.size() >= 9);
        QVERIFY2(pictures.contains(step().picture), step().picture.c_str());
    }

    // A bar over the pictures has room for some lines.
    void textsAreShort_data() { everyStep(); }
    void textsAreShort()
    {
        constexpr std::size_t longest = 420;
        QVERIFY(step().question.size() <= longest && step().because.size() <= longest);
        QVERIFY(step().question.ends_with('?'));
        QVERIFY(step().because.ends_with('.') || step().because.ends_with(')'));
    }

private:
    static void everyStep()
    {
        QTest::addColumn<std::size_t>("lesson");
        QTest::addColumn<std::size_t>("number");
        for (std::size_t i = 0; i < lessons().lessons.size(); ++i)
            for (std::size_t j = 0; j < lessons().lessons[i].steps.size(); ++j)
                QTest::addRow("%s, step %zu", lessons().lessons[i].key.c_str(), j + 1) << i << j;
    }

    static const LessonStep& step()
    {
        QFETCH(std::size_t, lesson);
        QFETCH(std::size_t, number);
        return lessons().lessons[lesson].steps[number];
    }

    // The core does not know them: they are read from the panels' sources.
    static std::set<std::string> picturesOfTheWindow()
    {
        std::set<std::string> keys;
        static const QRegularExpression key{"QString key\\(\\) const override \\{ return "
                                            "QStringLiteral\\(\"(\\w+)\"\\)"};
        QDirIterator files{SHARDSCOPE_SOURCE_FOLDER "/widgets/panels",
                           {"*_panel.h"},
                           QDir::Files,
                           QDirIterator::Subdirectories};
        while (files.hasNext()) {
            QFile file{files.next()};
            if (!file.open(QIODevice::ReadOnly))
                continue;
            if (const auto found = key.match(QString::fromUtf8(file.readAll())); found.hasMatch())
                keys.insert(found.captured(1).toStdString());
        }
        return keys;
    }
};

QTEST_APPLESS_MAIN(TestShippedLessons)
#include "tst_shipped_lessons.moc"

#include <QTest>

#include "core/lesson/lesson_figure.h"

#include "core/prediction/predict.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>
#include <set>

using namespace shardscope;

// Every kind of parallelism, so that each figure has something to say.
static Prediction everyKind()
{
    const auto reading = readScenario(R"({"model": {"preset": "mixtral-8x7b"},
        "training": {"global_batch_size": 32, "micro_batch_size": 1},
        "parallel": {"pipeline": 4, "tensor": 2, "context": 2, "data": 4, "expert": 8,
                     "sequence_parallel": true},
        "conventions": {"dp_overlap": false}, "cluster": {"preset": "dgx-h100"}})",
                                      shipped());
    return predict(reading.value().scenario).value();
}

class TestLessonFigure : public QObject
{
    Q_OBJECT
private slots:
    void eachHasItsOwnKeyAndTitle()
    {
        std::set<std::string_view> keys;
        std::set<std::string_view> titles;
        for (const LessonFigure& figure : lessonFigures()) {
            QVERIFY(!figure.key.empty() && !figure.title.empty());
            keys.insert(figure.key);
            titles.insert(figure.title);
            QCOMPARE(lessonFigure(figure.key), &figure);
        }
        QCOMPARE(keys.size(), lessonFigures().size());
        QCOMPARE(titles.size(), lessonFigures().size());
    }

    void oneThatThereIsNotIsNothing()
    {
        QVERIFY(lessonFigure("weights") == nullptr);
        QVERIFY(lessonFigure("") == nullptr);
    }

    void eachIsSomethingWhereAllKindsAre()
    {
        const Prediction prediction = everyKind();
        for (const LessonFigure& figure : lessonFigures()) {
            // The ring's messages may hide behind attention.
            if (figure.key != "cp_s")
                QVERIFY2(figure.of(prediction) > 0.0, figure.key.data());
            QVERIFY2(!figure.text(figure.of(prediction)).empty(), figure.key.data());
        }
    }

    void memoryIsThatOfTheFullestStage()
    {
        const Prediction prediction = everyKind();
        const auto& stages = prediction.memory.stages;
        const auto fullest = std::ranges::max_element(stages, {}, &StageMemory::deviceBytes);
        const auto of = [&](const char* key) {
            return static_cast<std::int64_t>(lessonFigure(key)->of(prediction));
        };
        QCOMPARE(of("memory_bytes"), prediction.memory.device_bytes);
        QCOMPARE(of("activations_bytes"), fullest->activations_bytes);
        QCOMPARE(of("optimizer_bytes"), fullest->optimizer_bytes);
    }

    void messagesAreThoseOfTheStageThatHasMost()
    {
        Prediction prediction;
        const auto message = [](Kind kind, std::int64_t count, double wire_bytes) {
            Message made;
            made.kind = kind;
            made.count = count;
            made.wire_bytes = wire_bytes;
            return made;
        };
        prediction.stages.resize(2);
        prediction.stages[0].messages = {message(Kind::tp, 3, 10.0), message(Kind::tp, 4, 20.0),
                                         message(Kind::pp, 9, 900.0)};
        prediction.stages[1].messages = {message(Kind::tp, 1, 40.0)};
        QCOMPARE(lessonFigure("tp_calls")->of(prediction), 7.0);
        QCOMPARE(lessonFigure("tp_sent_bytes")->of(prediction), 40.0);
        QCOMPARE(lessonFigure("pp_sent_bytes")->of(prediction), 900.0);
        QCOMPARE(lessonFigure("ep_calls")->of(prediction), 0.0);
    }

    void textsHaveTheirUnits_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* key, double value, const char* text) {
            QTest::newRow(key) << key << value << text;
        };
        row("parameters", 6.7e9, "6.7 B");
        row("flops", 3.5e16, "35 PFLOP");
        row("memory_bytes", 1073741824.0, "1 GiB");
        row("iteration_s", 0.5, "500 ms");
        row("bubble_ratio", 0.25, "25.0 %");
        row("tokens_per_s", 12000.0, "12 K tokens/s");
        row("tp_calls", 1216.0, "1 216");
        row("dp_sent_bytes", 2048.0, "2 KiB");
    }
    void textsHaveTheirUnits()
    {
        QFETCH(QString, key);
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(lessonFigure(key.toStdString())->text(value)), text);
    }
};

QTEST_APPLESS_MAIN(TestLessonFigure)
#include "tst_lesson_figure.moc"

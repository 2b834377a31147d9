#include <QTest>

#include "core/inference/argument_inference.h"
#include "core/inference/inference_notes.h"
#include "tests/core/import/imported_text.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>

using namespace shardscope;

namespace
{

const std::filesystem::path traces = std::filesystem::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

// 12 * 768^2 and what biases and norms add, twice; the words and positions on the first of two stages.
constexpr std::int64_t layer_parameters = 12 * 768 * 768 + 13 * 768;
constexpr std::int64_t first_stage = 6 * layer_parameters + (50304 + 512) * 768;
constexpr std::int64_t last_stage = 6 * layer_parameters + 50304 * 768 + 2 * 768;

std::string logOf(const std::string& more, std::int64_t counted_last = last_stage)
{
    const auto count = [](int stage, std::int64_t parameters) {
        return " > number of parameters on (tensor, pipeline) model parallel rank (0, "
               + std::to_string(stage) + "): " + std::to_string(parameters) + "\n";
    };
    return "---------------- arguments ----------------\n"
           "  bf16 ............................ True\n"
           "  hidden_size ..................... 768\n"
           "  micro_batch_size ................ 2\n"
           "  num_attention_heads ............. 12\n"
           "  num_layers ...................... 12\n"
           "  params_dtype .................... torch.bfloat16\n"
           "  pipeline_model_parallel_size .... 2\n"
           "  seq_length ...................... 512\n"
           "  world_size ...................... 4\n"
           + more
           + "------------- end of arguments ------------\n"
             " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)\n"
           + count(0, first_stage) + count(1, counted_last)
           + " iteration 1/ 9 | elapsed time per iteration (ms): 2152.2 | lr: 1\n";
}

Inference inferred(const Result<TraceSet>& set)
{
    if (!set)
        qFatal("%s", set.error().sentence.c_str());
    const auto answer = inferScenario(set.value(), ClassificationRules::shipped(), shipped());
    if (!answer)
        qFatal("%s", answer.error().sentence.c_str());
    return answer.value();
}

} // namespace

// The scenario of a run whose log lists the arguments that it was started with.
class TestArgumentInference : public QObject
{
    Q_OBJECT
private slots:
    void aLogsArgumentsAreItsScenario()
    {
        const Inference found = inferred(importText(logOf("")));
        QCOMPARE(found.scenario.model.layers, std::int64_t{12});
        QCOMPARE(found.scenario.model.vocab_size, std::int64_t{50257});
        QCOMPARE(found.scenario.parallel.data, std::int64_t{2});
        const auto layers = std::ranges::find(found.findings, "model.layers", &Finding::key);
        QVERIFY(layers != found.findings.end());
        QCOMPARE(layers->evidence, "num_layers 12");
        QVERIFY(layers->confidence >= confidence::certain);
    }

    void countsOfParametersAreHeldAgainstThePredictions()
    {
        QCOMPARE(QString::fromStdString(agreementOf(inferred(importText(logOf(""))))),
                 "the log counts as many parameters on all 2 places of the layout as predicted");
        const Inference other = inferred(importText(logOf("", last_stage + 768)));
        QCOMPARE(other.parameters.places, std::int64_t{2});
        QCOMPARE(other.parameters.equal, std::int64_t{1});
        QCOMPARE(QString::fromStdString(agreementOf(other)),
                 "the log counts as many parameters as predicted on 1 of 2 places of the layout; on tensor "
                 "rank 0 of stage 1 81 163 008 instead of 81 162 240");
    }

    // It is shown all the same: what is wrong is said beside it, and can be mended there.
    void aScenarioThatIsImpossibleIsSaidToBe()
    {
        const Inference found = inferred(importText(logOf("  global_batch_size ............... 7\n")));
        QVERIFY(std::ranges::any_of(found.notes, [](const std::string& note) {
            return note.starts_with("It cannot be predicted as it is: ");
        }));
    }

    void argumentsThatDoNotComeOutAreRefused()
    {
        const auto set = importText(logOf("  tensor_model_parallel_size ...... 3\n"));
        const auto answer = inferScenario(set.value(), ClassificationRules::shipped(), shipped());
        QVERIFY(!answer);
        QVERIFY(answer.error().sentence.starts_with("the arguments are of 4 ranks"));
    }

    void logsOfRealRunsCountWhatIsPredicted_data()
    {
        QTest::addColumn<QString>("log");
        QTest::addColumn<qint64>("places");
        QTest::newRow("18 B on four stages")
            << "bigscience_logs_a/gpt2-meg__meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out" << qint64{16};
        QTest::newRow("30 B on eight stages")
            << "bigscience_logs_a/gpt2-meg__meg_gpt2_base_n8_dp1_tp4_pp8-1809562.out" << qint64{32};
        QTest::newRow("6.7 B with DeepSpeed")
            << "superbench_megatron_deepspeed/megatron_deepspeed.log" << qint64{1};
    }
    void logsOfRealRunsCountWhatIsPredicted()
    {
        QFETCH(QString, log);
        QFETCH(qint64, places);
        const std::array path{traces / log.toStdString()};
        if (!std::filesystem::exists(path.front()))
            QSKIP("the shared traces are not there");
        const Inference found = inferred(importTraces(path));
        QCOMPARE(found.parameters.places, places);
        QCOMPARE(found.parameters.equal, places);
    }
};

QTEST_GUILESS_MAIN(TestArgumentInference)
#include "tst_argument_inference.moc"

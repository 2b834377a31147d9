#include <QTest>

#include <QFile>

#include "core/prediction/predict.h"
#include "core/report/prediction_report.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "core/scenario/words.h"
#include "tests/core/shipped_presets.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace shardscope;

// A visitor of Fields that throws a few of the figures out of the scenario and puts others in.
class Vandal
{
public:
    explicit Vandal(std::mt19937_64& random) : m_random{random} {}

    template<class T>
    void operator()(std::string_view, T& member)
    {
        if constexpr (HasFields<T>)
            Fields<T>::visit(*this, member);
        else if (m_random() % 12 == 0)
            change(member);
    }

private:
    void change(std::int64_t& member)
    {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        constexpr std::array<std::int64_t, 22> odd{1,  2,  3,       4,         5,    8,        12,   16,
                                                   24, 64, 100,     128,       1000, 1024,     4096, 65536,
                                                   0,  -1, 1 << 20, 1LL << 40, most, -most - 1};
        // The usable ones come more often, so that many scenarios stay valid.
        member = odd[m_random() % (m_random() % 4 == 0 ? odd.size() : 16)];
    }
    void change(int& member) { member = static_cast<int>(m_random() % 8); }
    void change(double& member)
    {
        constexpr std::array<double, 8> odd{0.0,
                                            1.0,
                                            0.5,
                                            1e-300,
                                            1e300,
                                            -1.0,
                                            std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN()};
        member = odd[m_random() % odd.size()];
    }
    void change(bool& member) { member = !member; }
    void change(std::optional<double>& member) { change(member.emplace()); }
    void change(std::string&) {}
    void change(RankOrder& order) { std::shuffle(order.begin(), order.end(), m_random); }
    void change(std::vector<std::int64_t>& list)
    {
        list.resize(m_random() % 4);
        for (std::int64_t& element : list)
            change(element);
    }
    void change(std::vector<ParameterTensor>& tensors)
    {
        tensors.resize(m_random() % 4);
        for (ParameterTensor& tensor : tensors)
            change(tensor.parameters);
    }
    template<HasWords Enum>
    void change(std::vector<Enum>& list)
    {
        list.clear();
        for (std::size_t place = 0; place < words<Enum>().size(); ++place) // each once, in their order
            if (m_random() % 2 == 0)
                list.push_back(static_cast<Enum>(place));
    }
    template<HasWords Enum>
    void change(Enum& member)
    {
        member = static_cast<Enum>(m_random() % words<Enum>().size());
    }

    std::mt19937_64& m_random;
};

class TestHostileInput : public QObject
{
    Q_OBJECT
private slots:
    // Bytes of a good file flipped, cut, doubled and mixed: a sentence of one line, or a scenario; never
    // more.
    void damagedFilesBecomeSentencesOrScenarios()
    {
        QFile file{SHARDSCOPE_SOURCE_FOLDER "/tests/core/scenario/every_section.scenario.json"};
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string good = file.readAll().toStdString();
        std::mt19937_64 random{20240817};
        int read = 0;
        for (int run = 0; run < 20000; ++run) {
            const auto reading = readScenario(damaged(good, random), shipped());
            if (reading) {
                ++read;
                checkPrediction(reading.value().scenario);
                continue;
            }
            QVERIFY(!reading.error().sentence.empty());
            QVERIFY2(reading.error().sentence.find('\n') == std::string::npos,
                     reading.error().sentence.c_str());
        }
        QVERIFY(read > 100);
    }

    // Figures of a good scenario replaced by odd ones: problems with a sentence, or finite figures.
    void oddFiguresBecomeProblemsOrPredictions()
    {
        std::mt19937_64 random{1729};
        Vandal vandal{random};
        int predicted = 0;
        for (int run = 0; run < 20000; ++run) {
            Scenario scenario;
            if (random() % 3 == 0)
                scenario.model = shipped().models()[random() % shipped().models().size()].model;
            scenario.training.global_batch_size = 4096;
            Fields<Scenario>::visit(vandal, scenario);
            predicted += checkPrediction(scenario) ? 1 : 0;
        }
        QVERIFY(predicted > 300);
    }

    void everyValidScenarioIsReadBackTheSame()
    {
        std::mt19937_64 random{4711};
        Vandal vandal{random};
        for (int run = 0; run < 3000; ++run) {
            Scenario scenario;
            Fields<Scenario>::visit(vandal, scenario);
            if (!validate(scenario).empty())
                continue;
            const auto reading = readScenario(writeScenario(scenario, -1), shipped());
            QVERIFY2(reading, reading ? "" : reading.error().sentence.c_str());
            QVERIFY(reading.value().scenario == written(scenario));
        }
    }

private:
    // What a file keeps of a scenario: the operations of a sample belong to lists of parameters alone.
    static Scenario written(Scenario scenario)
    {
        if (scenario.model.kind == ModelKind::transformer)
            scenario.model.flops_per_sample = 0.0;
        return scenario;
    }

    static std::string damaged(std::string text, std::mt19937_64& random)
    {
        const auto place = [&] { return random() % (text.size() + 1); };
        constexpr std::array<std::string_view, 16> pieces{
            "\"", "{", "}",    "[",      "]",    ":",  ",",    "null",
            "-1", "0", "1e99", "\"tp\"", "true", "\\", "\xFF", "99999999999999999999"};
        for (std::uint64_t change = random() % 3 + 1; change > 0 && !text.empty(); --change) {
            const std::size_t at = place();
            switch (random() % 6) {
            case 0:
                text.erase(at, random() % 20);
                break;
            case 1:
                text.insert(at, pieces[random() % pieces.size()]);
                break;
            case 2:
                text.insert(at, text.substr(place(), random() % 40));
                break;
            case 3:
                text.resize(at);
                break;
            default: // a digit becomes another: most of these still read
                if (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0)
                    text[at] = static_cast<char>('0' + random() % 10);
                break;
            }
        }
        return text;
    }

    // True when the scenario is valid; then every figure is finite and none is negative.
    static bool checkPrediction(const Scenario& scenario)
    {
        const std::vector<Problem> problems = validate(scenario);
        const auto prediction = predict(scenario);
        if (bool{prediction} != problems.empty())
            qFatal("predict() and validate() disagree: %s", writeScenario(scenario, -1).c_str());
        if (!prediction) {
            if (problems.front().sentence.empty() || problems.front().field.empty())
                qFatal("a problem says nothing");
            return false;
        }
        const Prediction& answer = prediction.value();
        const TimePrediction& time = answer.time;
        bool good = answer.parameters.total > 0 && answer.parameters.active <= answer.parameters.total
                    && answer.memory.peak_bytes >= 0;
        for (const double figure :
             {answer.flops.model, answer.flops.hardware, time.iteration_s, time.compute_s, time.tp_s,
              time.cp_s, time.ep_s, time.pp_s, time.dp_s, time.bubble_s, time.tokens_per_s, time.mfu,
              time.hfu, time.bubble_ratio, time.communication_ratio})
            good = good && std::isfinite(figure) && figure >= 0.0;
        for (const StageMemory& stage : answer.memory.stages)
            good = good && stage.weights_bytes >= 0 && stage.gradients_bytes >= 0
                   && stage.optimizer_bytes >= 0 && stage.activations_bytes >= 0
                   && stage.total_bytes <= answer.memory.peak_bytes;
        for (const StagePrediction& stage : answer.stages)
            for (const Message& message : stage.messages)
                good = good && message.message_bytes > 0 && message.count > 0 && message.total_bytes > 0
                       && std::isfinite(message.wire_bytes) && message.wire_bytes >= 0.0;
        if (!good)
            qFatal("not a prediction: %s", writeScenario(scenario, -1).c_str());
        return true;
    }
};

QTEST_APPLESS_MAIN(TestHostileInput)
#include "tst_hostile_input.moc"

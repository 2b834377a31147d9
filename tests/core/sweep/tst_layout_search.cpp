#include <QTest>

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"
#include "core/scenario/words.h"
#include "core/sweep/layout_candidates.h"
#include "core/sweep/layout_search.h"
#include "tests/core/sweep/scenarios.h"

#include <algorithm>
#include <limits>

using namespace shardscope;

Q_DECLARE_METATYPE(Scenario)

namespace
{

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

// With all of them every schedule is played.
LayoutSearch searchedOn(const Scenario& base, std::int64_t gpus, std::size_t top = all)
{
    const Result<LayoutSearch> search = searchLayouts(base, gpus, {2, top});
    if (!search)
        qFatal("%s", search.error().sentence.c_str());
    return search.value();
}

// A small model of its kind with fused attention, whose sequences a ring may share.
Scenario fused(std::int64_t sequence_length, std::int64_t global_batch_size)
{
    Scenario scenario = gpt3b();
    scenario.model.layers = 8;
    scenario.model.sequence_length = sequence_length;
    scenario.model.position_embedding = PositionEmbedding::rope;
    scenario.training.flash_attention = true;
    scenario.training.global_batch_size = global_batch_size;
    return scenario;
}

Scenario withExperts(Scenario scenario)
{
    scenario.model.experts.count = 8;
    scenario.model.experts.ffn_hidden_size = 2000;
    return scenario;
}

std::vector<int> zeroStagesOf(const Scenario& base, std::int64_t pipeline)
{
    if (base.conventions.framework == Framework::megatron && pipeline > 1)
        return {0, 1};
    return {0, 1, 2, 3};
}

// The fastest layout of so much context and so many ranks to the experts that fits, each predicted; 1e9:
// none.
double fastestOf(const Scenario& base, std::int64_t gpus, std::int64_t context, std::int64_t expert)
{
    double fastest_s = 1e9;
    Scenario tried = base;
    Parallel& parallel = tried.parallel;
    parallel.context = context;
    parallel.expert = expert;
    for (parallel.pipeline = 1; parallel.pipeline <= gpus / context; parallel.pipeline *= 2)
        for (parallel.tensor = 1; parallel.tensor * parallel.pipeline <= gpus / context; parallel.tensor *= 2)
            for (const std::int64_t micro_batch : {1, 2, 4})
                for (const std::int64_t stages : {1, 2, 4, 8})
                    for (const int zero : zeroStagesOf(base, parallel.pipeline))
                        for (const bool sequence_parallel : {false, true})
                            for (const Recompute recompute :
                                 {Recompute::none, Recompute::selective, Recompute::full}) {
                                parallel.data = gpus / (context * parallel.pipeline * parallel.tensor);
                                parallel.virtual_stages = stages;
                                parallel.schedule =
                                    stages > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
                                parallel.zero_stage = zero;
                                parallel.sequence_parallel = sequence_parallel;
                                tried.training.micro_batch_size = micro_batch;
                                tried.training.recompute = recompute;
                                tried.conventions = conventionsThere(base, tried);
                                const Result<Prediction> answer = predict(tried);
                                if (answer && answer.value().memory.fits)
                                    fastest_s = std::min(fastest_s, answer.value().time.iteration_s);
                            }
    return fastest_s;
}

} // namespace

class TestLayoutSearch : public QObject
{
    Q_OBJECT
private slots:
    void everyLayoutFillsTheGpusAndFits()
    {
        const Scenario base = gpt3b();
        const LayoutSearch search = searchedOn(base, 32);
        QCOMPARE(search.possible, search.too_large + std::int64_t(search.found.size()));
        QVERIFY(search.found.size() > 100);
        for (const FoundLayout& found : search.found) {
            const Scenario scenario = withLayout(base, found.layout);
            QCOMPARE(scenario.worldSize(), std::int64_t{32});
            QCOMPARE(scenario.training.global_batch_size, base.training.global_batch_size);
            QVERIFY(found.device_bytes <= search.capacity_bytes);
        }
    }

    // ZeRO shares states among ranks that split sequences, too.
    void statesAreSharedAmongContextRanks()
    {
        Scenario base = gpt3b();
        base.parallel.context = 4;
        const LayoutSearch search = searchedOn(base, 4);
        QVERIFY(std::ranges::any_of(search.found, [](const FoundLayout& found) {
            return found.layout.parallel.zero_stage == 3 && found.layout.parallel.data == 1;
        }));
    }

    // Memory is predicted to within 4 to 5 %: what fits by less is marked, and the fastest that is not is
    // known.
    void layoutsThatMayRunOutOfMemoryAreMarked()
    {
        const Scenario base = gpt3b();
        LayoutSearch search = searchedOn(base, 32);
        QCOMPARE(search.fastestWithRoom(), std::size_t{0});
        Scenario small = base; // as much memory as the fastest needs, and 1 % more
        small.cluster.memory_GB =
            1.01 * static_cast<double>(search.found.front().device_bytes) / static_cast<double>(1 << 30);
        search = searchedOn(small, 32);
        const auto capacity = static_cast<double>(search.capacity_bytes);
        for (const FoundLayout& found : search.found)
            QCOMPARE(found.is_nearly_full, static_cast<double>(found.device_bytes) > 0.95 * capacity);
        QVERIFY(search.found.front().is_nearly_full);
        QVERIFY(search.fastestWithRoom() > 0);
        QVERIFY(!search.found[search.fastestWithRoom()].is_nearly_full);
    }

    void theFastestIsWhatTryingEachAnswers_data()
    {
        QTest::addColumn<Scenario>("base");
        QTest::newRow("neither context nor experts") << [] {
            Scenario base = gpt3b();
            base.training.global_batch_size = 4;
            base.model.layers = 8;
            return base;
        }();
        QTest::newRow("long sequences") << fused(65536, 4);
        QTest::newRow("short sequences") << fused(512, 4);
        QTest::newRow("experts") << withExperts(fused(2048, 4));
        QTest::newRow("long sequences and experts") << withExperts(fused(65536, 4));
    }
    void theFastestIsWhatTryingEachAnswers()
    {
        QFETCH(Scenario, base);
        const LayoutChoices choices = layoutChoices(base);
        double fastest_s = 1e9;
        for (const std::int64_t context : {1, 2, 4, 8})
            for (const std::int64_t expert : {1, 2, 4, 8})
                for (const bool splits : {true, false})
                    if ((choices.context || context == 1) && (choices.expert || expert == 1)
                        && (choices.expert_tensor || splits)) {
                        Scenario tried = base;
                        tried.parallel.expert_tensor_parallel = splits;
                        fastest_s = std::min(fastest_s, fastestOf(tried, 8, context, expert));
                    }
        QVERIFY(fastest_s < 1e9);
        QCOMPARE(searchedOn(base, 8, 1).found.front().time.iteration_s, fastest_s);
    }

    void sequencesAreSharedWhereTheyAreLong()
    {
        QVERIFY(searchedOn(fused(65536, 4), 8, 1).found.front().layout.parallel.context > 1);
        QCOMPARE(searchedOn(fused(512, 16), 8, 1).found.front().layout.parallel.context, std::int64_t{1});
    }

    // Of a model that fits on its GPUs only where layers are computed again.
    void noMoreLayersAreComputedAgainThanItTakes()
    {
        Scenario base = fused(4096, 64);
        base.model.layers = 64;
        base.cluster.memory_GB = 9.0;
        const LayoutSearch search = searchedOn(base, 32);
        std::int64_t partial = 0;
        for (const FoundLayout& found : search.found) {
            if (found.layout.recompute_layers == 0)
                continue;
            ++partial;
            Layout other = found.layout;
            other.recompute_layers = 0;
            const Scenario full = withLayout(base, other);
            QVERIFY(predict(full).value().time.iteration_s >= found.time.iteration_s);
            other.recompute = Recompute::none;
            const MemoryPrediction none = predictMemory(withLayout(base, other)).value();
            QVERIFY(!none.fits || isNearlyFull(none.device_bytes, base.cluster));
        }
        QVERIFY(partial > 0);
        QVERIFY(search.found.front().layout.recompute_layers > 0);
    }

    // The schedules that are not played could have changed nothing of the answer.
    void whatIsNotPlayedHidesNothing_data()
    {
        QTest::addColumn<Scenario>("base");
        QTest::addColumn<qint64>("gpus");
        QTest::newRow("GPT of 3B") << gpt3b() << qint64{32};
        QTest::newRow("long sequences") << fused(65536, 32) << qint64{32};
        QTest::newRow("experts") << withExperts(fused(2048, 48)) << qint64{16};
        for (const Schedule schedule :
             {Schedule::gpipe, Schedule::zb_h1, Schedule::zb_h2, Schedule::dualpipe}) {
            Scenario base = withExperts(fused(4096, 48));
            base.parallel.schedule = schedule;
            QTest::newRow(std::string{word(schedule)}.c_str()) << base << qint64{8};
        }
        Scenario by_formula = fused(8192, 32);
        by_formula.time_model = TimeModel::li;
        QTest::newRow("Li et al.'s formula") << by_formula << qint64{16};
    }
    void whatIsNotPlayedHidesNothing()
    {
        QFETCH(Scenario, base);
        QFETCH(qint64, gpus);
        constexpr std::size_t top = 7;
        const LayoutSearch exhaustive = searchedOn(base, gpus);
        const LayoutSearch search = searchedOn(base, gpus, top);
        QCOMPARE(search.possible, exhaustive.possible);
        QCOMPARE(search.too_large, exhaustive.too_large);
        QCOMPARE(std::int64_t(exhaustive.found.size()), exhaustive.fitting());
        QVERIFY(search.found.size() < exhaustive.found.size());
        QVERIFY(search.may_be_fastest >= exhaustive.may_be_fastest);
        const auto isSame = [](const FoundLayout& a, const FoundLayout& b) {
            return a.layout == b.layout && a.time.iteration_s == b.time.iteration_s
                   && a.device_bytes == b.device_bytes && a.may_be_fastest == b.may_be_fastest;
        };
        for (std::size_t i = 0; i < top; ++i)
            QVERIFY(isSame(search.found[i], exhaustive.found[i]));
        QCOMPARE(search.front.size(), exhaustive.front.size());
        for (std::size_t i = 0; i < search.front.size(); ++i)
            QVERIFY(isSame(search.found[search.front[i]], exhaustive.found[exhaustive.front[i]]));
        const FoundLayout& roomy = search.found[search.fastestWithRoom()];
        QVERIFY(isSame(roomy, exhaustive.found[exhaustive.fastestWithRoom()]));
    }

    // Bounds hide no layout that is faster, and say so where they were needed.
    void fasterLayoutsAreCounted_data()
    {
        QTest::addColumn<double>("times_the_fastest");
        QTest::newRow("as fast as the fastest") << 1.0;
        QTest::newRow("a little slower") << 1.1;
        QTest::newRow("slow") << 2.0;
    }
    void fasterLayoutsAreCounted()
    {
        QFETCH(double, times_the_fastest);
        const Scenario base = gpt3b();
        const LayoutSearch exhaustive = searchedOn(base, 32);
        QCOMPARE(exhaustive.faster, std::int64_t{0}); // nothing was asked
        const double compared_s = times_the_fastest * exhaustive.found.front().time.iteration_s;
        const auto faster = std::ranges::count_if(
            exhaustive.found, [&](const FoundLayout& found) { return found.time.iteration_s < compared_s; });
        for (const std::size_t top : {std::size_t{1}, all}) {
            LayoutSearchOptions options{2, top};
            options.compared_s = compared_s;
            const Result<LayoutSearch> search = searchLayouts(base, 32, options);
            QVERIFY(search);
            QVERIFY(search.value().faster >= faster);
            if (search.value().faster_is_exact)
                QCOMPARE(search.value().faster, std::int64_t{faster});
            QVERIFY(search.value().faster_is_exact || top == 1);
        }
    }

    // What the framework has by default with one layout and not with the other; what was set stays.
    void conventionsFollowALayout_data()
    {
        QTest::addColumn<int>("zero_stage");
        QTest::addColumn<bool>("sequence_parallel");
        QTest::addColumn<bool>("is_set_otherwise");
        QTest::addColumn<bool>("follows");
        QTest::newRow("ZeRO with sequence parallelism") << 1 << true << false << true;
        QTest::newRow("ZeRO alone") << 1 << false << false << false;
        QTest::newRow("set by hand") << 1 << true << true << false;
    }
    void conventionsFollowALayout()
    {
        QFETCH(int, zero_stage);
        QFETCH(bool, sequence_parallel);
        QFETCH(bool, is_set_otherwise);
        QFETCH(bool, follows);
        Scenario base = gpt3b();
        base.conventions.framework = Framework::megatron;
        base.conventions = defaultConventions(Framework::megatron, base.model, base.training, base.parallel);
        base.conventions.tp_overlap = is_set_otherwise;
        Layout layout = layoutOf(base);
        QVERIFY(followingConventions(base, layout).empty());
        layout.parallel.tensor = 2;
        layout.parallel.data = 2;
        layout.parallel.zero_stage = zero_stage;
        layout.parallel.sequence_parallel = sequence_parallel;
        const std::vector<ScenarioDifference> following = followingConventions(base, layout);
        const auto overlap = std::ranges::find(following, "tp_overlap", &ScenarioDifference::key);
        QCOMPARE(overlap != following.end(), follows);
        if (follows)
            QCOMPARE(overlap->after, std::string{"true"});
        QVERIFY(std::ranges::find(following, "zero_stage", &ScenarioDifference::key) == following.end());
    }

    void whatIsFoundIsPredictedLikewise()
    {
        const Scenario base = withExperts(fused(16384, 32));
        for (const FoundLayout& found : searchedOn(base, 32, 10).found) {
            const Result<Prediction> answer = predict(withLayout(base, found.layout));
            QVERIFY(answer);
            QCOMPARE(answer.value().time.iteration_s, found.time.iteration_s);
            QCOMPARE(answer.value().memory.device_bytes, found.device_bytes);
            QCOMPARE(answer.value().world_size, std::int64_t{32});
        }
    }

    void nothingBeatsTheFrontInTimeAndMemory()
    {
        const LayoutSearch search = searchedOn(gpt3b(), 16);
        QVERIFY(std::ranges::is_sorted(search.found, {},
                                       [](const FoundLayout& found) { return found.time.iteration_s; }));
        for (std::size_t i = 0; i < search.found.size(); ++i) {
            const bool is_beaten = std::ranges::any_of(search.found, [&](const FoundLayout& other) {
                const FoundLayout& own = search.found[i];
                return other.time.iteration_s <= own.time.iteration_s
                       && other.device_bytes < own.device_bytes;
            });
            const bool is_front = std::ranges::find(search.front, i) != search.front.end();
            QVERIFY(!(is_front && is_beaten));
        }
        QCOMPARE(search.front.front(), std::size_t{0});
    }

    void otherSchedulesStay()
    {
        Scenario base = gpt3b();
        base.parallel.schedule = Schedule::zb_h1;
        for (const FoundLayout& found : searchedOn(base, 16).found)
            QCOMPARE(found.layout.parallel.schedule,
                     found.layout.parallel.pipeline > 1 ? Schedule::zb_h1 : Schedule::one_f_one_b);
    }

    void whatCannotBeLaidOutSaysWhy_data()
    {
        QTest::addColumn<qint64>("gpus");
        QTest::addColumn<QString>("part");
        QTest::newRow("none") << qint64{0} << QStringLiteral("1 to 1 000 000");
        QTest::newRow("a prime above the batch") << qint64{1031} << QStringLiteral("1031 GPUs");
    }
    void whatCannotBeLaidOutSaysWhy()
    {
        QFETCH(qint64, gpus);
        const Result<LayoutSearch> search = searchLayouts(gpt3b(), gpus, {});
        QVERIFY(!search);
        QFETCH(QString, part);
        QVERIFY2(QString::fromStdString(search.error().sentence).contains(part),
                 search.error().sentence.c_str());
    }

    void aStoppedSearchSaysSo()
    {
        const std::atomic<bool> stop{true};
        QCOMPARE(searchLayouts(gpt3b(), 32, {2, 10, &stop}).error().sentence, std::string{"stopped"});
    }
};

QTEST_APPLESS_MAIN(TestLayoutSearch)
#include "tst_layout_search.moc"

#include <QTest>

#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"
#include "core/sweep/layout_search.h"
#include "tests/core/sweep/scenarios.h"

#include <algorithm>

using namespace shardscope;

static LayoutSearch searchedOn(const Scenario& base, std::int64_t gpus)
{
    const Result<LayoutSearch> search = searchLayouts(base, gpus, 2);
    if (!search)
        qFatal("%s", search.error().sentence.c_str());
    return search.value();
}

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

    void theFastestIsWhatTryingEachAnswers()
    {
        Scenario base = gpt3b();
        base.training.global_batch_size = 8;
        base.model.layers = 4;
        double fastest_s = 1e9;
        for (const std::int64_t pipeline : {1, 2, 4})
            for (const std::int64_t tensor : {1, 2, 4})
                for (const std::int64_t micro_batch : {1, 2, 4, 8})
                    for (const std::int64_t stages : {1, 2, 4})
                        for (const int zero : {0, 1, 2, 3})
                            for (const bool sequence_parallel : {false, true})
                                for (const Recompute recompute :
                                     {Recompute::none, Recompute::selective, Recompute::full}) {
                                    if (4 % (pipeline * tensor) != 0)
                                        continue;
                                    Scenario tried = base;
                                    tried.parallel.pipeline = pipeline;
                                    tried.parallel.tensor = tensor;
                                    tried.parallel.data = 4 / (pipeline * tensor);
                                    tried.parallel.virtual_stages = stages;
                                    tried.parallel.schedule =
                                        stages > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
                                    tried.parallel.zero_stage = zero;
                                    tried.parallel.sequence_parallel = sequence_parallel;
                                    tried.training.micro_batch_size = micro_batch;
                                    tried.training.recompute = recompute;
                                    tried.conventions =
                                        conventionsThere(base, tried.training, tried.parallel);
                                    const Result<Prediction> answer = predict(tried);
                                    if (answer && answer.value().memory.fits)
                                        fastest_s = std::min(fastest_s, answer.value().time.iteration_s);
                                }
        QCOMPARE(searchedOn(base, 4).found.front().time.iteration_s, fastest_s);
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
        QTest::newRow("none") << qint64{0} << QStringLiteral("1 to 1,000,000");
        QTest::newRow("a prime above the batch") << qint64{1031} << QStringLiteral("1031 GPUs");
    }
    void whatCannotBeLaidOutSaysWhy()
    {
        QFETCH(qint64, gpus);
        const Result<LayoutSearch> search = searchLayouts(gpt3b(), gpus, 1);
        QVERIFY(!search);
        QFETCH(QString, part);
        QVERIFY2(QString::fromStdString(search.error().sentence).contains(part),
                 search.error().sentence.c_str());
    }

    void aLayoutIsNamedByAllThatTheSearchVaries()
    {
        Layout layout;
        layout.parallel.pipeline = 8;
        layout.parallel.tensor = 4;
        layout.parallel.data = 32;
        layout.parallel.schedule = Schedule::interleaved;
        layout.parallel.virtual_stages = 6;
        layout.parallel.zero_stage = 1;
        layout.parallel.sequence_parallel = true;
        layout.micro_batch_size = 2;
        layout.recompute = Recompute::selective;
        QCOMPARE(layoutText(layout),
                 std::string{"(p, t, d) = (8, 4, 32), micro-batch 2, interleaved 6, ZeRO 1, "
                             "sequence parallel, selective recomputation"});
    }

    void aStoppedSearchSaysSo()
    {
        const std::atomic<bool> stop{true};
        QCOMPARE(searchLayouts(gpt3b(), 32, 2, &stop).error().sentence, std::string{"stopped"});
    }
};

QTEST_APPLESS_MAIN(TestLayoutSearch)
#include "tst_layout_search.moc"

#include <QTest>

#include "core/prediction/model/stage_layout.h"
#include "tests/core/prediction/small_scenario.h"

#include <algorithm>
#include <numeric>

using namespace shardscope;

class TestStageLayout : public QObject
{
    Q_OBJECT
private slots:
    // The embedding is as large as a layer where it has 12 h words.
    void partsByParametersHaveTheSmallestLargest_data()
    {
        QTest::addColumn<qint64>("words"); // in layers
        QTest::addColumn<qint64>("layers");
        QTest::addColumn<QList<qint64>>("expected");
        QTest::newRow("small ends") << qint64{0} << qint64{8} << QList<qint64>{2, 2, 2, 2};
        QTest::newRow("fewer layers than fill all parts")
            << qint64{0} << qint64{5} << QList<qint64>{1, 2, 1, 1};
        QTest::newRow("ends as large as two layers") << qint64{2} << qint64{8} << QList<qint64>{1, 3, 3, 1};
        QTest::newRow("ends that stand alone") << qint64{5} << qint64{10} << QList<qint64>{0, 5, 5, 0};
    }
    void partsByParametersHaveTheSmallestLargest()
    {
        QFETCH(const qint64, words);
        QFETCH(const qint64, layers);
        Scenario scenario = small(4, 1, 1);
        Model& model = scenario.model;
        model.layers = layers;
        model.vocab_size = std::max<std::int64_t>(1, 12 * model.hidden_size * words);
        scenario.parallel.stage_balance = StageBalance::parameters;
        const std::vector<std::int64_t> sizes = chunkLayers(IterationFigures{scenario});
        QTEST(QList<qint64>(sizes.begin(), sizes.end()), "expected");
        QCOMPARE(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), layers);
    }

    // Qi et al. 2024b: the first stage has the first and the last layers, the last one those of the middle.
    void aVEndsWhereItBegins()
    {
        Scenario scenario = small(2, 1, 1);
        scenario.model.layers = 8;
        scenario.parallel.schedule = Schedule::v_min;
        scenario.parallel.virtual_stages = 2;
        const IterationFigures figures{scenario};
        const std::vector<StageShape> stages = layOutStages(figures);
        QCOMPARE(stages[0].layers, (std::vector<int>{0, 1, 6, 7}));
        QCOMPARE(stages[1].layers, (std::vector<int>{2, 3, 4, 5}));
        QVERIFY(stages[0].first && stages[0].last && !stages[1].first && !stages[1].last);
        // Adjacent chunks are two all the same.
        QCOMPARE(stages[1].later_chunks, (std::vector<std::size_t>{2}));
        // The tied table stands once.
        QCOMPARE(stages[0].end_parameters, figures.word_embedding + figures.positions
                                               + figures.embedding_extras + figures.final_norm
                                               + figures.head_extras);
    }
};

QTEST_APPLESS_MAIN(TestStageLayout)
#include "tst_stage_layout.moc"

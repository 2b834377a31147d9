#include <QTest>

#include "core/prediction/model/pipeline_chain.h"

using namespace shardscope;

class TestPipelineChain : public QObject
{
    Q_OBJECT
private slots:
    void placesStandOnStages_data()
    {
        QTest::addColumn<bool>("in_v");
        QTest::addColumn<QList<int>>("stages");
        QTest::addColumn<QList<int>>("links");
        QTest::newRow("around the ring")
            << false << QList<int>{0, 1, 2, 0, 1, 2} << QList<int>{0, 1, 2, 0, 1, 2};
        QTest::newRow("down and back up in a V")
            << true << QList<int>{0, 1, 2, 2, 1, 0} << QList<int>{0, 1, -1, 1, 0, -1};
    }
    void placesStandOnStages()
    {
        QFETCH(bool, in_v);
        const PipelineChain chain{3, in_v};
        QList<int> stages;
        QList<int> links;
        for (int place = 0; place < 6; ++place) {
            stages << chain.stageAt(place);
            links << chain.linkBehind(place);
            QCOMPARE(chain.place(place / 3, stages.back()), place);
        }
        QTEST(stages, "stages");
        QTEST(links, "links");
    }
};

QTEST_APPLESS_MAIN(TestPipelineChain)
#include "tst_pipeline_chain.moc"

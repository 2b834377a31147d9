#include <QTest>

#include <QSet>

#include "core/sweep/studies.h"
#include "tests/core/sweep/scenarios.h"

#include <algorithm>

using namespace shardscope;

class TestStudies : public QObject
{
    Q_OBJECT
private slots:
    void everyStudyHasItsOwnNames()
    {
        QSet<QString> keys;
        QSet<QString> titles;
        for (const Study& study : studies()) {
            keys.insert(QString::fromUtf8(study.key.data(), qsizetype(study.key.size())));
            titles.insert(QString::fromUtf8(study.title.data(), qsizetype(study.title.size())));
        }
        QCOMPARE(std::size_t(keys.size()), studies().size());
        QCOMPARE(std::size_t(titles.size()), studies().size());
    }

    void aDenseModelHasNoExpertsToShareOut()
    {
        const auto experts = std::ranges::find(studies(), "experts", &Study::key);
        QVERIFY(experts != studies().end());
        const auto problem = [&](const Scenario& scenario) {
            return studyProblem(*experts, scenario, SweepAxis::layers, SweepAxis::layers);
        };
        QVERIFY(problem(gpt3b()).find("no experts to share out") != std::string::npos);
        QVERIFY(problem(gpt3b(SweepAxis::expert)).empty());
    }

    void everySweepHoldsTheScenarioItself_data()
    {
        QTest::addColumn<int>("study");
        for (std::size_t i = 0; i < studies().size(); ++i)
            if (studies()[i].picture == StudyPicture::bars)
                QTest::newRow(studies()[i].key.data()) << int(i);
    }
    void everySweepHoldsTheScenarioItself()
    {
        QFETCH(int, study);
        const Scenario base = gpt3b(studies()[std::size_t(study)].axis);
        const Sweep sweep = sweepOf(studies()[std::size_t(study)], base);
        const std::vector<SweepPoint> points = runSweep(sweep);
        QCOMPARE(points.size(), sweep.values.size() * sweep.groupSize());
        const auto own = ownPoint(sweep, points);
        QVERIFY(own);
        QVERIFY(points[*own].scenario == base);
        QVERIFY(std::ranges::count_if(points, &SweepPoint::isValid) >= 2);
    }
};

QTEST_APPLESS_MAIN(TestStudies)
#include "tst_studies.moc"

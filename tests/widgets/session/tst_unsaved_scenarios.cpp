#include <QCoreApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/session/unsaved_scenarios.h"

#include "core/scenario/scenario_json.h"

#include <set>

using namespace shardscope;

namespace
{

Scenario withLayers(int layers)
{
    Scenario scenario;
    scenario.model.layers = layers;
    return scenario;
}

QString keptAs(int layers)
{
    QTest::qWait(2); // names are told apart by milliseconds
    return UnsavedScenarios::keep(withLayers(layers));
}

} // namespace

class TestUnsavedScenarios : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setApplicationName("shardscope-unsaved-test");
    }
    void init()
    {
        failOnWarnings();
        QDir{QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)}.removeRecursively();
    }
    void cleanupTestCase() { init(); }

    void theNewestComesFirst()
    {
        QVERIFY(UnsavedScenarios::all().isEmpty());
        const QString first = keptAs(4);
        const QString second = keptAs(6);
        const QList<UnsavedScenarios::Kept> kept = UnsavedScenarios::all();
        QCOMPARE(kept.size(), 2);
        QCOMPARE(kept[0].file, second);
        QCOMPARE(kept[1].file, first);
        QVERIFY(kept[0].time > kept[1].time);
    }

    void whatIsKeptAlreadyBecomesTheNewest()
    {
        keptAs(4);
        const QString other = keptAs(6);
        const QString again = keptAs(4);
        const QList<UnsavedScenarios::Kept> kept = UnsavedScenarios::all();
        QCOMPARE(kept.size(), 2);
        QCOMPARE(kept[0].file, again);
        QCOMPARE(kept[1].file, other);
    }

    void theOldestFallOut()
    {
        std::set<QString> newest;
        for (int layers = 1; layers <= UnsavedScenarios::capacity + 2; ++layers)
            if (const QString file = keptAs(layers); layers > 2)
                newest.insert(file);
        std::set<QString> kept;
        for (const UnsavedScenarios::Kept& each : UnsavedScenarios::all())
            kept.insert(each.file);
        QCOMPARE(kept, newest);
    }
};

QTEST_GUILESS_MAIN(TestUnsavedScenarios)
#include "tst_unsaved_scenarios.moc"

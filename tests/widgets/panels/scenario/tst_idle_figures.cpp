#include <QTest>

#include "tests/widgets/panels/scenario/live_panel.h"
#include "widgets/panels/scenario/scenario_figures.h"

#include "core/prediction/predict.h"
#include "core/scenario/scenario_change.h"

#include <cmath>
#include <variant>

using namespace shardscope;

namespace
{

// All dimensions, on several nodes, with all that overlaps.
Scenario spreadOut(TimeModel time_model)
{
    Scenario scenario = scenarioOf(4, 4, 4);
    scenario.time_model = time_model;
    scenario.training.flash_attention = true;
    scenario.parallel.zero_stage = 1;
    scenario.parallel.sequence_parallel = true;
    return withFollowingConventions(scenarioOf(4, 4, 4), scenario);
}

Scenario moved(const NumberFigure& number, const Scenario& scenario)
{
    const double value = number.get(scenario);
    if (std::string_view{number.figure.key} == "cluster.oversubscription") // no less than 1
        return number.set(scenario, 2.0 * value);
    return number.set(scenario, value > 0.0 ? value / 2.0 : 10.0); // NaN: derived until now
}

Scenario moved(const ToggleFigure& toggle, const Scenario& scenario)
{
    return toggle.set(scenario, !toggle.get(scenario));
}

double iteration_s(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    return prediction ? prediction.value().time.iteration_s : std::nan("");
}

template<class Visitor>
void visitClusterFigures(const Visitor& visitor)
{
    for (const ScenarioSection& section : clusterSections())
        for (const ScenarioControl& control : section.controls) {
            if (const auto* number = std::get_if<NumberFigure>(&control))
                visitor(*number);
            else if (const auto* toggle = std::get_if<ToggleFigure>(&control))
                visitor(*toggle);
        }
}

} // namespace

// Figures of the cluster that the time model on screen does not use.
class TestIdleFigures : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void whatIsIdleChangesNoTime_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::addColumn<int>("lines");
        QTest::newRow("Li et al.") << spreadOut(TimeModel::li) << 24;
        QTest::newRow("detailed") << spreadOut(TimeModel::detailed) << 3;
    }
    void whatIsIdleChangesNoTime()
    {
        QFETCH(Scenario, scenario);
        const double time_s = iteration_s(scenario);
        QVERIFY(time_s > 0.0);
        int lines = 0;
        visitClusterFigures([&](const auto& each) {
            if (!each.figure.is_idle || !each.figure.is_idle(scenario))
                return;
            ++lines;
            QVERIFY2(iteration_s(moved(each, scenario)) == time_s, each.figure.key);
        });
        QTEST(lines, "lines");
    }

    void whatChangesNoTimeIsIdleOrSaysSo_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::newRow("Li et al.") << spreadOut(TimeModel::li);
        QTest::newRow("detailed") << spreadOut(TimeModel::detailed);
    }
    void whatChangesNoTimeIsIdleOrSaysSo()
    {
        QFETCH(Scenario, scenario);
        // What a GPU holds; what is said to change no time; what counts in other runs and on other machines.
        const QStringList elsewhere{"cluster.memory_GB",
                                    "cluster.scale_up_gpus",
                                    "cluster.few_node_trees",
                                    "cluster.collectives.ring_adapters",
                                    "cluster.collectives.switch_reduce_efficiency",
                                    "cluster.compute.overlap_contention",
                                    "cluster.inter_node.latency_us"};
        const double time_s = iteration_s(scenario);
        visitClusterFigures([&](const auto& each) {
            const bool is_idle = each.figure.is_idle && each.figure.is_idle(scenario);
            const bool is_noted = each.figure.note && !each.figure.note(scenario).isEmpty();
            if (is_idle || is_noted || elsewhere.contains(each.figure.key))
                return;
            QVERIFY2(!std::isnan(iteration_s(moved(each, scenario))), each.figure.key);
            QVERIFY2(iteration_s(moved(each, scenario)) != time_s, each.figure.key);
        });
    }

    void theNumberOfNicsSaysThatItChangesNoTimeUntilItDoes()
    {
        Scenario scenario = spreadOut(TimeModel::detailed);
        scenario.cluster.nics_per_node = 4;
        LivePanel live{scenario};
        const ScenarioRow& nics = *live.panel.row("cluster.nics_per_node");
        QCOMPARE(nics.accessibleDescription(),
                 QString{"No time depends on it unless \"Network rate per\" is NIC."});
        const double of_gpus_s = iteration_s(scenario);
        scenario.cluster.nics_per_node = 8;
        QCOMPARE(iteration_s(scenario), of_gpus_s);
        scenario.cluster.inter_node.bandwidth_of = BandwidthOf::nic;
        live.panel.setScenario(scenario);
        QCOMPARE(nics.accessibleDescription(), QString{});
        const double of_eight_s = iteration_s(scenario);
        scenario.cluster.nics_per_node = 4;
        QVERIFY(iteration_s(scenario) > of_eight_s);
        scenario.cluster.nics_per_node = 16;
        QVERIFY(iteration_s(scenario) < of_eight_s);
    }

    void anIdleLineCannotBeMovedAndSaysWhy()
    {
        LivePanel live{spreadOut(TimeModel::li)};
        ScenarioRow& latency = *live.panel.row("cluster.inter_node.latency_us");
        ScenarioRow& law = *live.panel.row("cluster.collectives.intra_efficiency");
        QVERIFY(!live.edit("cluster.inter_node.latency_us").isEnabled());
        QVERIFY(!live.edit("cluster.collectives.blend").isEnabled());
        QCOMPARE(latency.accessibleDescription(), QString{"Li et al.'s times do not depend on it."});
        QCOMPARE(law.accessibleDescription(),
                 QString{"Li et al.'s times depend on none of these constants."});
        QVERIFY(live.edit("cluster.effective_GBps.tp").isEnabled());
        live.panel.setScenario(spreadOut(TimeModel::detailed));
        QVERIFY(live.edit("cluster.inter_node.latency_us").isEnabled());
        QCOMPARE(latency.accessibleDescription(), QString{});
        QVERIFY(!live.edit("cluster.effective_GBps.tp").isEnabled());
    }

    // Which groups a token's experts are in only matters where its copies for one rank travel together.
    void groupsOfExpertsAreIdleWhereNothingDependsOnThem_data()
    {
        QTest::addColumn<qint64>("expert_parallel");
        QTest::addColumn<int>("dispatcher");
        QTest::addColumn<QString>("note"); // empty: they count
        QTest::newRow("one copy for each expert")
            << qint64{4} << static_cast<int>(TokenDispatcher::all_to_all)
            << "Nothing depends on it while \"Tokens go\" is \"to each expert\": there are as many copies.";
        QTest::newRow("all experts on each GPU")
            << qint64{1} << static_cast<int>(TokenDispatcher::all_to_all)
            << "Nothing depends on it while Expert is 1: tokens stay on their GPU.";
        QTest::newRow("one copy for each rank")
            << qint64{4} << static_cast<int>(TokenDispatcher::deepep) << "";
    }
    void groupsOfExpertsAreIdleWhereNothingDependsOnThem()
    {
        QFETCH(qint64, expert_parallel);
        QFETCH(int, dispatcher);
        QFETCH(QString, note);
        Scenario scenario = scenarioOf(1, 1, 8);
        scenario.parallel.expert = expert_parallel;
        scenario.conventions.token_dispatcher = static_cast<TokenDispatcher>(dispatcher);
        scenario.model.experts.count = 16;
        scenario.model.experts.per_token = 4;
        scenario.model.experts.groups = 8;
        scenario.model.experts.groups_per_token = 4;
        LivePanel live{scenario};
        for (const char* key : {"model.experts.groups", "model.experts.groups_per_token"}) {
            QCOMPARE(live.edit(key).isEnabled(), note.isEmpty());
            QCOMPARE(live.panel.row(key)->accessibleDescription(), note);
        }
        Scenario limited = scenario;
        limited.model.experts.groups_per_token = 2;
        QCOMPARE(iteration_s(limited) == iteration_s(scenario), !note.isEmpty());
    }

    void anIdleLineThatIsWrongCanBePutRight()
    {
        LivePanel live{spreadOut(TimeModel::li)};
        const ScenarioNumberEdit& edit = live.edit("cluster.inter_node.latency_us");
        live.panel.setProblems({{"cluster.inter_node.latency_us", "It is -5; a latency is at least 0."}});
        QVERIFY(edit.isEnabled());
        live.panel.setProblems({});
        QVERIFY(!edit.isEnabled());
    }
};

QTEST_MAIN(TestIdleFigures)
#include "tst_idle_figures.moc"

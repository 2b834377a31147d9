#include <QTest>

#include "tests/widgets/sample_content.h"
#include "widgets/session/held_selection.h"
#include "widgets/session/session.h"

using namespace shardscope;

class TestHeldSelection : public QObject
{
    Q_OBJECT
private slots:
    void whatIsNowhereAnyMoreIsLetGo_data()
    {
        QTest::addColumn<Selection>("chosen");
        QTest::addColumn<Selection>("held");
        const MessageKey other_size{Kind::dp, Op::all_reduce, 1};
        const MessageKey other_kind{Kind::unknown, Op::all_reduce, 1};
        const auto row = [](const char* name, const Selection& chosen, const Selection& held) {
            QTest::newRow(name) << chosen << held;
        };
        row("nothing", {}, {});
        row("a rank of the 32", {{}, 31, {}}, {{}, 31, {}});
        row("a rank beyond them", {{}, 32, {}}, {});
        row("a kind that is sent", {Kind::tp, {}, {}}, {Kind::tp, {}, {}});
        row("a kind that nobody sends, and a rank", {Kind::unknown, 3, {}}, {{}, 3, {}});
        row("a message of another size", {{}, {}, other_size}, {{}, {}, other_size});
        row("a message of a kind that nobody sends", {{}, {}, other_kind}, {});
    }
    void whatIsNowhereAnyMoreIsLetGo()
    {
        QFETCH(Selection, chosen);
        QFETCH(Selection, held);
        QVERIFY(heldSelection(chosen, sample::content()) == held);
    }

    void aRankThatWasReadIsThere()
    {
        Content content = sample::content(true);
        auto run = std::make_shared<MeasuredRun>(*content.measured);
        run->measurement.ranks.emplace_back().rank = 40;
        content.measured = run;
        QCOMPARE(heldSelection({{}, 40, {}}, content).rank, std::optional<std::int64_t>{40});
    }

    void aRankThatTheSlidersTakeAwayIsChosenNoLonger()
    {
        Session session{Presets{}};
        Scenario scenario = session.scenario();
        scenario.parallel.pipeline = 8;
        session.editScenario(scenario, "Pipeline");
        QCoreApplication::processEvents();
        session.select({{}, 6, {}});
        scenario.parallel.pipeline = 4;
        session.editScenario(scenario, "Pipeline");
        QCoreApplication::processEvents();
        QVERIFY(session.selection().empty());
    }
};

QTEST_GUILESS_MAIN(TestHeldSelection)
#include "tst_held_selection.moc"

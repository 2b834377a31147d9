#include <QTest>

#include "core/analysis/calls/kind_assignment.h"

using namespace shardscope;

// Classes of calls in these cases: 0 is a buffer of 4 bytes, 1 the gradients, 2 an activation.
class TestKindAssignment : public QObject
{
    Q_OBJECT
private slots:
    void aSizeOfItsOwnTellsTheKind()
    {
        KindAssignment assignment;
        assignment.expect(Kind::tp, 2, 36);
        assignment.expect(Kind::dp, 1, 1);
        assignment.addUnit({{{2, 18}}, {}});
        assignment.addUnit({{{2, 18}}, {}});
        assignment.addUnit({{{1, 1}}, {}});
        QCOMPARE(assignment.solve(), (std::vector{Kind::tp, Kind::tp, Kind::dp}));
    }

    // The last stage: four losses and the gradients on two threads of the dp group, one gradient norm. Only
    // the counts tell the loss thread from the norm's.
    void countsTellEqualSizesApart()
    {
        KindAssignment assignment;
        assignment.expect(Kind::dp, 0, 4);
        assignment.expect(Kind::dp, 1, 1);
        assignment.expect(Kind::mp, 0, 1);
        assignment.addUnit({{{0, 2}, {1, 1}}, {}});
        assignment.addUnit({{{0, 2}}, {}});
        assignment.addUnit({{{0, 1}}, {}});
        QCOMPARE(assignment.solve(), (std::vector{Kind::dp, Kind::dp, Kind::mp}));
    }

    void whatTwoKindsExplainStaysUnknown()
    {
        KindAssignment assignment;
        assignment.expect(Kind::dp, 0, 1);
        assignment.expect(Kind::dp, 1, 1);
        assignment.expect(Kind::mp, 0, 1);
        assignment.addUnit({{{0, 1}}, {}});
        assignment.addUnit({{{1, 1}}, {}});
        assignment.addUnit({{{0, 1}}, {}});
        QCOMPARE(assignment.solve(), (std::vector{Kind::unknown, Kind::dp, Kind::unknown}));
    }

    void aKnownMemberRulesAKindOut()
    {
        KindAssignment assignment;
        assignment.expect(Kind::dp, 0, 1);
        assignment.expect(Kind::mp, 0, 1);
        assignment.addUnit({{{0, 1}}, {Kind::mp}});
        assignment.addUnit({{{0, 1}}, {}});
        QCOMPARE(assignment.solve(), (std::vector{Kind::dp, Kind::mp}));
    }

    void callsAlreadyNamedAreNotWaitedFor()
    {
        KindAssignment assignment;
        assignment.expect(Kind::dp, 0, 1);
        assignment.expect(Kind::mp, 0, 1);
        assignment.alreadyGiven(Kind::dp, 0, 1);
        assignment.addUnit({{{0, 1}}, {}});
        QCOMPARE(assignment.solve(), (std::vector{Kind::mp}));
    }

    void callsOfAnotherScenarioAreToldByTheirSizesAlone()
    {
        KindAssignment assignment;
        assignment.expect(Kind::tp, 2, 36);
        assignment.expect(Kind::dp, 0, 4);
        assignment.expect(Kind::mp, 0, 1);
        assignment.addUnit({{{2, 48}}, {}});        // more than expected, but only tp sends it
        assignment.addUnit({{{0, 9}}, {}});         // dp or mp
        assignment.addUnit({{{0, 1}, {7, 1}}, {}}); // nobody sends class 7
        QCOMPARE(assignment.solve(), (std::vector{Kind::tp, Kind::unknown, Kind::unknown}));
    }
};

QTEST_APPLESS_MAIN(TestKindAssignment)
#include "tst_kind_assignment.moc"

#include <QTest>

#include "core/analysis/calls/exposed_kinds.h"

#include <numeric>

using namespace shardscope;

class TestExposedKinds : public QObject
{
    Q_OBJECT

    static Call call(Kind kind, TraceTime start, std::int64_t duration_ns, std::int64_t exposed_ns)
    {
        Call call;
        call.kind = kind;
        call.is_timed = true;
        call.start = start;
        call.duration_ns = duration_ns;
        call.exposed_ns = exposed_ns;
        return call;
    }

    // Of a rank whose calls leave `exposed_ns` with nothing beside them.
    static RankMeasurement measured(const std::vector<Call>& calls, std::int64_t exposed_ns)
    {
        RankMeasurement rank;
        rank.exposed_communication_ns = exposed_ns;
        addExposedKinds(calls, rank);
        shareExposedKinds(rank);
        return rank;
    }

    static std::int64_t of(const RankMeasurement& rank, Kind kind)
    {
        return rank.exposed_of_kind_ns[static_cast<std::size_t>(kind)];
    }

private slots:
    void whatIsHiddenCountsForNothing()
    {
        const RankMeasurement rank = measured({call(Kind::dp, 0, 1000, 0), call(Kind::tp, 100, 50, 50)}, 50);
        QCOMPARE(of(rank, Kind::dp), 0);
        QCOMPARE(of(rank, Kind::tp), 50);
    }

    void aSendAndTheReceiveBesideItAreOneMoment()
    {
        const RankMeasurement rank = measured(
            {call(Kind::pp, 0, 100, 100), call(Kind::pp, 0, 100, 100), call(Kind::tp, 200, 100, 100)}, 200);
        QCOMPARE(of(rank, Kind::pp), 100);
        QCOMPARE(of(rank, Kind::tp), 100);
    }

    void kindsShareAMoment()
    {
        const RankMeasurement rank =
            measured({call(Kind::dp, 0, 300, 300), call(Kind::tp, 0, 100, 100)}, 300);
        QCOMPARE(of(rank, Kind::dp), 250); // 50 of the first 100, then alone
        QCOMPARE(of(rank, Kind::tp), 50);
    }

    void withoutTimedCallsNoKindIsKnown()
    {
        Call untimed = call(Kind::tp, 0, 100, 0);
        untimed.is_timed = false;
        const RankMeasurement rank = measured({untimed}, 70);
        QCOMPARE(of(rank, Kind::unknown), 70);
        QCOMPARE(std::accumulate(rank.exposed_of_kind_ns.begin(), rank.exposed_of_kind_ns.end(), 0), 70);
    }
};

QTEST_APPLESS_MAIN(TestExposedKinds)
#include "tst_exposed_kinds.moc"

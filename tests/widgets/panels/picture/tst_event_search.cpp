#include <QTest>

#include "widgets/panels/picture/event_search.h"

#include <QSemaphore>

using namespace shardscope;

class TestEventSearch : public QObject
{
    Q_OBJECT
private slots:
    void theRowThatWasWishedIsToldWithItsEvents()
    {
        Found found;
        found.search.start(3, walkNamed("three"));
        found.search.finish();
        QCOMPARE(found.told, (QStringList{"3 three"}));
    }

    void aRowThatIsWishedAgainMeanwhileIsLookedForOnce()
    {
        QSemaphore may_go;
        Found found;
        found.search.start(3, waitingWalk(may_go, "first"));
        found.search.start(3, walkNamed("second"));
        may_go.release();
        found.search.finish();
        QCOMPARE(found.told, (QStringList{"3 first"}));
        found.search.start(3, walkNamed("third"));
        found.search.finish();
        QCOMPARE(found.told, (QStringList{"3 first", "3 third"}));
    }

    void anotherRowTakesItsPlace()
    {
        QSemaphore may_go;
        Found found;
        found.search.start(3, waitingWalk(may_go, "three"));
        found.search.start(4, walkNamed("four"));
        may_go.release();
        found.search.finish();
        QCOMPARE(found.told, (QStringList{"4 four"}));
    }

    void whatIsForgottenIsNotTold()
    {
        QSemaphore may_go;
        Found found;
        found.search.start(3, waitingWalk(may_go, "three"));
        found.search.forget();
        may_go.release();
        found.search.finish();
        QCOMPARE(found.told, QStringList{});
    }

private:
    struct Found {
        QStringList told;
        EventSearch search{[this](int row, const EventWalk& walk) {
            told << QStringLiteral("%1 %2").arg(row).arg(walk.what);
        }};
    };

    static std::function<EventWalk()> walkNamed(const QString& what)
    {
        return [what] { return EventWalk{nullptr, {}, what}; };
    }
    static std::function<EventWalk()> waitingWalk(QSemaphore& may_go, const QString& what)
    {
        return [&may_go, what] {
            may_go.acquire();
            return EventWalk{nullptr, {}, what};
        };
    }
};

QTEST_GUILESS_MAIN(TestEventSearch)
#include "tst_event_search.moc"

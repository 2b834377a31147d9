#include "core/analysis/analyze.h"
#include "core/trace/trace_builder.h"
#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/timeline/small_runs.h"
#include "widgets/panels/timeline/timeline_panel.h"

#include <QSignalSpy>
#include <QTest>

#include <vector>

using namespace shardscope;

// Going along the events of a run, or the bars of a predicted message, one after the other.
class TestTimelineWalks : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void exposedCallsAreWalkedFromTheLongestWhateverWasChosen()
    {
        TraceBuilder builder;
        const TrackIndex track = builder.addTrack("0", "7", true);
        for (const TraceTime milliseconds : {2, 9, 5})
            builder.addEvent(track, milliseconds * 10'000'000, milliseconds * 1'000'000,
                             "ncclDevKernel_AllReduce", "kernel");
        auto run = std::make_shared<MeasuredRun>();
        TraceFile file;
        file.format = "kineto";
        file.store = builder.finish();
        run->traces.files.push_back(std::move(file));
        run->measurement = analyze(run->traces);
        TimelinePanel panel;
        panel.setContent({{}, {}, run, false});
        const auto chosen = [&] { return panel.view().chosen()->span; }; // by start: 2, 5, 9 ms
        panel.view().choose(TimelineSpot{TimelineSection::measured, 0, 0, 0, 1});
        emit panel.view().exposedWished(1);
        QCOMPARE(chosen(), 2U);
        emit panel.view().exposedWished(1);
        QCOMPARE(chosen(), 1U);
        emit panel.view().exposedWished(1);
        QCOMPARE(chosen(), 0U);
        emit panel.view().exposedWished(-1);
        QCOMPARE(chosen(), 1U);
    }

    // Each is wished as the whole walk; a run that is not on screen yet is waited for.
    void aWalkGoesOnWhereItIsWishedAgain()
    {
        const std::shared_ptr<const MeasuredRun> run = tenKernels();
        const EventWalk walk{
            run, {{0, EventIndex{7}, 0, 1'000'000}, {0, EventIndex{2}}}, "kernels", "after %1"};
        TimelinePanel panel;
        QSignalSpy said{&panel, &PicturePanel::statusWished};
        panel.goAlong(walk);
        QVERIFY(!panel.view().chosen());
        panel.setContent({{}, {}, run, false});
        QCOMPARE(panel.view().chosen()->span, 7U);
        QVERIFY(said.back().front().toString().startsWith("1 of 2 kernels"));
        QVERIFY(said.back().front().toString().contains(", after 1 ms"));
        panel.goAlong(walk);
        QCOMPARE(panel.view().chosen()->span, 2U);
        panel.goAlong(walk); // from the last to the first
        QCOMPARE(panel.view().chosen()->span, 7U);
        panel.goAlong(walk);
        panel.view().choose(std::nullopt); // off the way
        panel.goAlong(walk);
        QCOMPARE(panel.view().chosen()->span, 7U);
    }

    // From one to the next in the order of time, and from the last to the first.
    void predictedMessagesAreWalkedWhereNothingIsMeasured()
    {
        const Content content{twoStages(), {}, {}, false};
        TimelinePanel panel;
        panel.resize(900, 300);
        panel.setContent(content);
        QTRY_VERIFY(!panel.isBusy());
        EventWalk walk;
        for (int stage = 0; stage < 2; ++stage)
            for (const Message& message :
                 content.predicted->prediction.stages[static_cast<std::size_t>(stage)].messages) {
                if (message.kind != Kind::tp && message.kind != Kind::pp)
                    continue;
                walk.predicted = {message, stage};
                std::vector<TraceTime> starts;
                while (starts.size() < 3) {
                    panel.goAlong(walk);
                    QVERIFY2(panel.view().chosen(), std::string{message.what}.c_str());
                    starts.push_back(spotRange(panel.view().scene(), *panel.view().chosen()).start_ns);
                }
                QVERIFY(starts[0] < starts[1] && starts[1] < starts[2]);
                panel.view().choose(std::nullopt);
            }
        walk.predicted->message.message_bytes += 1;
        QSignalSpy said{&panel, &PicturePanel::statusWished};
        panel.goAlong(walk);
        QVERIFY(!panel.view().chosen());
        QVERIFY(said.back().front().toString().contains("no bar"));
    }

    // As XLA's have.
    void placeMarksInNamesStayAsTheyAre()
    {
        TraceBuilder builder;
        const TrackIndex track = builder.addTrack("0", "7", true);
        builder.addEvent(track, 0, 1'000'000, "fusion(%1, %5)", "kernel");
        auto run = std::make_shared<MeasuredRun>();
        TraceFile file;
        file.rank = 3;
        file.store = builder.finish();
        run->traces.files.push_back(std::move(file));
        TimelinePanel panel;
        QSignalSpy said{&panel, &PicturePanel::statusWished};
        panel.setContent({{}, {}, run, false});
        panel.goAlong({run, {{0, EventIndex{0}}}, "kernels of %2", {}});
        QCOMPARE(said.back().front().toString(),
                 QStringLiteral("1 of 1 kernels of %2: fusion(%1, %5) of rank 3, 1 ms"));
    }
};

QTEST_MAIN(TestTimelineWalks)
#include "tst_timeline_walks.moc"

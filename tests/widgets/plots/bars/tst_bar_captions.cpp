#include "widgets/plots/bars/bar_captions.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

static BarScene sceneOf(const std::vector<double>& heights, double limit)
{
    BarScene scene;
    for (std::size_t i = 0; i < heights.size(); ++i) {
        Bar bar;
        bar.centre = static_cast<double>(i);
        bar.caption = QString::number(heights[i]) + QStringLiteral(" GiB");
        bar.segments.push_back({heights[i], Qt::blue, {}, false, {}, {}});
        scene.bars.push_back(bar);
    }
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(heights.size()) - 0.5;
    scene.value_high = 100.0;
    scene.limit = BarLimit{limit, QStringLiteral("capacity 80 GiB")};
    return scene;
}

class TestBarCaptions : public QObject
{
    Q_OBJECT
private slots:
    void textsStandClearOfEachOtherAndOfTheLimit_data()
    {
        QTest::addColumn<std::vector<double>>("heights");
        QTest::addColumn<double>("width");
        QTest::addColumn<int>("least_captions");
        QTest::newRow("just below the limit") << std::vector{78.2, 79.9, 75.0, 73.1} << 400.0 << 4;
        QTest::newRow("at the right end the limit's text gives way")
            << std::vector{40.0, 50.0, 60.0, 79.0} << 320.0 << 4;
        QTest::newRow("above the limit") << std::vector{95.0, 92.0, 99.0} << 300.0 << 3;
        QTest::newRow("far below it") << std::vector{10.0, 12.0, 8.0} << 300.0 << 3;
        QTest::newRow("seven stages") << std::vector{78.2, 77.1, 76.0, 75.5, 74.2, 73.1, 79.4} << 300.0 << 3;
        QTest::newRow("sixteen stages, the fullest in between")
            << std::vector{70.1, 78.2, 77.1, 76.0, 75.5, 74.2, 73.1, 72.4,
                           71.1, 70.0, 69.0, 68.0, 67.0, 66.0, 65.0, 78.1}
            << 320.0 << 2;
        QTest::newRow("one bar in a narrow picture") << std::vector{78.2} << 120.0 << 1;
    }
    void textsStandClearOfEachOtherAndOfTheLimit()
    {
        QFETCH(std::vector<double>, heights);
        QFETCH(double, width);
        QFETCH(int, least_captions);
        const QFontMetricsF metrics{QGuiApplication::font()};
        const BarScene scene = sceneOf(heights, 80.0);
        const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 30.0, width, 120.0});
        const auto placed = placeSegments(scene, mapping);
        const auto captions = placeCaptions(scene, mapping, placed, metrics);
        QVERIFY2(static_cast<int>(captions.size()) >= least_captions,
                 qPrintable(QString::number(captions.size())));
        const auto fullest = std::ranges::max_element(heights) - heights.begin();
        QCOMPARE(captions.front().bar, static_cast<int>(fullest));
        const QRectF limit = placeLimitText(scene, mapping, placed, captions, metrics).value();
        const double line = mapping.valuePixel(80.0);
        QVERIFY(limit.bottom() <= line);
        for (std::size_t i = 0; i < captions.size(); ++i) {
            const QRectF& box = captions[i].rectangle;
            QVERIFY(box.bottom() <= line || box.top() >= line);
            QVERIFY2(!box.intersects(limit), qPrintable(captions[i].text));
            QVERIFY(box.left() >= mapping.area.left() && box.right() <= mapping.area.right());
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!box.intersects(captions[j].rectangle));
        }
    }

    // "capacity 80 GiB 79 GiB" would read as one.
    void theLimitsTextKeepsAwayFromCaptionsBesideIt()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        const BarScene scene = sceneOf({30.0, 79.0, 79.0, 95.0, 95.0, 78.5}, 80.0);
        const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 30.0, 900.0, 300.0});
        const auto placed = placeSegments(scene, mapping);
        const auto captions = placeCaptions(scene, mapping, placed, metrics);
        const QRectF limit = placeLimitText(scene, mapping, placed, captions, metrics).value();
        for (const PlacedCaption& caption : captions) {
            const QRectF apart = caption.rectangle.adjusted(-15.0, 0.0, 15.0, 0.0);
            QVERIFY2(!apart.intersects(limit), qPrintable(caption.text));
        }
    }

    // In a low picture totals jump over the line.
    void theLimitsTextIsLeftOutRatherThanWrittenOverCaptions()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        const BarScene scene = sceneOf({68.9, 64.4, 62.2, 63.1}, 80.0);
        for (double height = 40.0; height < 200.0; height += 4.0) {
            const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 18.0, 280.0, height});
            const auto placed = placeSegments(scene, mapping);
            const auto captions = placeCaptions(scene, mapping, placed, metrics);
            const auto limit = placeLimitText(scene, mapping, placed, captions, metrics);
            for (const PlacedCaption& caption : captions)
                QVERIFY(!limit || !caption.rectangle.intersects(*limit));
        }
    }

    void aLimitBeyondTheRangeLeavesTheLineAboveToTheNote()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene = sceneOf({20.0}, 80.0);
        scene.value_high = 40.0;
        const auto textOf = [&] {
            const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 30.0, 300.0, 120.0});
            return placeLimitText(scene, mapping, placeSegments(scene, mapping), {}, metrics);
        };
        QVERIFY(textOf());
        scene.note = QStringLiteral("no other is faster");
        QVERIFY(!textOf()); // it is written there, and the note is cut for it
    }

    void labelsAreThinnedAndTheLastIsKeptWhereAsked_data()
    {
        QTest::addColumn<bool>("keeps_last");
        QTest::addColumn<double>("labels_in_room"); // how many labels the axis is as long as
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("room for all") << true << 12.0 << QStringList{"10", "11", "12", "13", "14", "15"};
        QTest::newRow("every second") << false << 5.0 << QStringList{"10", "12", "14"};
        QTest::newRow("the last takes the place of the one before it")
            << true << 5.0 << QStringList{"10", "12", "15"};
        QTest::newRow("next to no room") << true << 1.0 << QStringList{"15"};
    }
    void labelsAreThinnedAndTheLastIsKeptWhereAsked()
    {
        QFETCH(bool, keeps_last);
        QFETCH(double, labels_in_room);
        BarScene scene;
        scene.keeps_last_label = keeps_last;
        for (int i = 0; i < 6; ++i)
            scene.category_labels.push_back({static_cast<double>(i), QString::number(10 + i)});
        const QFont font = QGuiApplication::font();
        const double each = QFontMetricsF{font}.horizontalAdvance(QStringLiteral("10")) + 8.0;
        QStringList texts;
        for (const CategoryLabel& label : thinnedLabels(scene, font, 6.0, labels_in_room * each))
            texts << label.text;
        QTEST(texts, "expected");
    }

    void aPinnedBarsTopStrikesNoCaptionThrough()
    {
        BarScene scene = sceneOf({50.0, 20.0}, 200.0);
        Bar ghost;
        ghost.centre = 0.0;
        ghost.thickness = 0.9;
        ghost.is_ghost = true;
        ghost.segments.push_back({54.0, Qt::gray, {}, false, {}, {}});
        scene.bars.push_back(ghost);
        const QFontMetricsF metrics{QGuiApplication::font()};
        const BarMapping mapping = mappingOf(scene, Qt::Vertical, {0.0, 0.0, 300.0, 200.0});
        const auto captions = placeCaptions(scene, mapping, placeSegments(scene, mapping), metrics);
        QCOMPARE(captions.size(), std::size_t{2});
        QVERIFY(captions[0].rectangle.bottom() <= mapping.valuePixel(54.0));
        QVERIFY(captions[1].rectangle.bottom() > mapping.valuePixel(54.0)); // the other bar's stays low
    }

    // What is pinned is named where the scenario's own captions leave room.
    void aPinnedBarsCaptionGivesWayToOthers()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene = sceneOf({40.0}, 200.0);
        Bar ghost;
        ghost.centre = 0.0;
        ghost.is_ghost = true;
        ghost.caption = "pinned 90 GiB";
        ghost.segments.push_back({90.0, Qt::gray, {}, false, {}, {}});
        scene.bars.insert(scene.bars.begin(), ghost);
        const auto captionsOf = [&] {
            const BarMapping mapping = mappingOf(scene, Qt::Vertical, {0.0, 0.0, 300.0, 200.0});
            return placeCaptions(scene, mapping, placeSegments(scene, mapping), metrics);
        };
        QCOMPARE(captionsOf().size(), std::size_t{2});
        QCOMPARE(captionsOf().front().bar, 1);
        scene.bars[1].segments[0].value = 90.0;
        QCOMPARE(captionsOf().size(), std::size_t{1});
        QCOMPARE(captionsOf().front().bar, 1);
    }

    // In a low chart both the total and the limit's text stand above the line.
    void theLimitIsNamedInTheRoomThatIsKeptForIt()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene = sceneOf({76.0, 72.0, 66.0, 64.0}, 80.0);
        for (double height = 30.0; height < 80.0; height += 5.0) {
            const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 60.0, 300.0, height});
            const auto placed = placeSegments(scene, mapping);
            const auto captions = placeCaptions(scene, mapping, placed, metrics);
            const auto limit = placeLimitText(scene, mapping, placed, captions, metrics);
            QVERIFY2(limit, qPrintable(QString::number(height)));
            const double kept = captionOverhang(scene, height, metrics.height());
            QVERIFY(limit->top() >= mapping.area.top() - std::max(kept, metrics.height() + 2.0) - 1e-6);
        }
    }

    void aMarkStrikesNoCaptionThrough()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene = sceneOf({60.0, 50.0}, 200.0);
        scene.bars[0].marks = {{62.0, Qt::black, false}, {66.0, Qt::black, true}};
        const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 30.0, 400.0, 120.0});
        const auto placed = placeSegments(scene, mapping);
        for (const PlacedCaption& caption : placeCaptions(scene, mapping, placed, metrics))
            for (const BarMark& mark : scene.bars[static_cast<std::size_t>(caption.bar)].marks) {
                const double line = mapping.valuePixel(mark.value);
                QVERIFY(caption.rectangle.bottom() <= line || caption.rectangle.top() >= line);
            }
        scene.bars[0].marks = {{100.0, Qt::black, false}}; // then the caption may stand above the area
        QVERIFY(captionOverhang(scene, 120.0, metrics.height()) > metrics.height());
    }

    void secondLinesGiveWayBeforeLabelsDo()
    {
        BarScene scene;
        scene.category_labels = {{0.0, "1·1·8\nb16 keep"}, {1.0, "2·1·4"}};
        const QFont font = QGuiApplication::font();
        const double narrow = QFontMetricsF{font}.horizontalAdvance("1·1·8") - 4.0;
        const double broken = QFontMetricsF{font}.horizontalAdvance("b16 ke") + 8.0;
        const double wide = QFontMetricsF{font}.horizontalAdvance("b16 keep") + 8.0;
        QCOMPARE(thinnedLabels(scene, font, 2.0, 2.0 * wide)[0].text, "1·1·8\nb16 keep");
        QCOMPARE(thinnedLabels(scene, font, 2.0, 2.0 * broken)[0].text, "1·1·8\nb16\nkeep");
        const std::vector<CategoryLabel> shown = thinnedLabels(scene, font, 2.0, 2.0 * narrow);
        QCOMPARE(shown[0].text, "1·1·8");
        QCOMPARE(linesOfLabels(scene), 2);
    }

    void namesStandInTwoRowsWhereOneHasNoRoom()
    {
        BarScene scene;
        for (const char* name : {"P100", "BERT", "V100", "GPT-2"})
            scene.category_labels.push_back({static_cast<double>(scene.category_labels.size()), name});
        scene.labels_are_names = true;
        const QFont font = QGuiApplication::font();
        const double each = QFontMetricsF{font}.horizontalAdvance("GPT-2") + 8.0;
        const auto textsIn = [&](double pixels) {
            QStringList texts;
            for (const CategoryLabel& label : thinnedLabels(scene, font, 4.0, pixels))
                texts << label.text;
            return texts;
        };
        QCOMPARE(textsIn(4.2 * each), (QStringList{"P100", "BERT", "V100", "GPT-2"}));
        QCOMPARE(textsIn(2.2 * each), (QStringList{"P100", "\nBERT", "V100", "\nGPT-2"}));
        QCOMPARE(textsIn(1.2 * each), (QStringList{"P100"}));
    }

    // As the best layouts are named: the last one by more words.
    void aHighChartBreaksNamesRatherThanLeaveSomeOut_data()
    {
        QTest::addColumn<int>("most_lines");
        QTest::addColumn<QString>("as_wide_as");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("room for all")
            << 3 << "now 4·4·2·2"
            << QStringList{"4·4·2·2\nb1 v5", "2·2·2·8\nb2 v1", "now 4·4·2·2\n9th\nb1 v1"};
        QTest::newRow("broken") << 4 << "4·4·2·2"
                                << QStringList{"4·4·2·2\nb1 v5", "2·2·2·8\nb2 v1",
                                               "now\n4·4·2·2\n9th\nb1 v1"};
        QTest::newRow("first lines in two rows")
            << 5 << "4·4·2·" << QStringList{"4·4·2·2", "\n2·2·2·8", "now 4·4·2·2"};
    }
    void aHighChartBreaksNamesRatherThanLeaveSomeOut()
    {
        QFETCH(int, most_lines);
        QFETCH(QString, as_wide_as);
        BarScene scene;
        scene.category_labels = {
            {0.0, "4·4·2·2\nb1 v5"}, {1.0, "2·2·2·8\nb2 v1"}, {2.0, "now 4·4·2·2\n9th\nb1 v1"}};
        scene.keeps_last_label = true;
        scene.labels_are_names = true;
        const QFont font = QGuiApplication::font();
        const double each = QFontMetricsF{font}.horizontalAdvance(as_wide_as) + 8.5;
        QStringList texts;
        for (const CategoryLabel& label : thinnedLabels(scene, font, 3.0, 3.0 * each, most_lines))
            texts << label.text;
        QTEST(texts, "expected");
    }

    void wordsThatBelongTogetherPartLast()
    {
        BarScene scene;
        scene.category_labels = {{0.0, "1\nb16 r\u00a0full"}, {1.0, "2"}};
        const QFontMetricsF metrics{QGuiApplication::font()};
        const auto firstIn = [&](const char* as_wide_as) {
            const double each = metrics.horizontalAdvance(as_wide_as) + 8.5;
            return thinnedLabels(scene, QGuiApplication::font(), 2.0, 2.0 * each, 4)[0].text;
        };
        QCOMPARE(firstIn("b16"), "1\nb16\nr\nfull");
        QCOMPARE(firstIn("b16 r"), "1\nb16\nr\u00a0full");
    }

    // It hangs over by its widest line, however many it has.
    void theLastLabelsLinesDoNotAddUp()
    {
        BarScene scene;
        scene.keeps_last_label = true;
        scene.category_low = -0.5;
        scene.category_high = 0.5;
        scene.category_labels = {{0.0, "now 4·4·2·2"}};
        const QFont font = QGuiApplication::font();
        const double of_one = labelOverhang(scene, font, 10.0);
        QVERIFY(of_one > 0.0);
        scene.category_labels[0].text += "\n9th\nb1 v1";
        QCOMPARE(labelOverhang(scene, font, 10.0), of_one);
    }

    void aLongTitleTakesTheLinesThatItMay()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        const QString title = QStringLiteral("one, two, three");
        const double whole = metrics.horizontalAdvance(title);
        QCOMPARE(titleWithin(title, metrics, whole), title);
        QCOMPARE(titleWithin(title, metrics, whole - 1.0), "one, two,\nthree");
        const double narrow = metrics.horizontalAdvance("three,");
        QCOMPARE(titleWithin(title, metrics, narrow, 3), "one,\ntwo,\nthree");
        QVERIFY(titleWithin(title, metrics, narrow, 2).endsWith(QChar{0x2026}));
        QVERIFY(titleWithin(QStringLiteral("onetwothree"), metrics, whole / 2.0).endsWith(QChar{0x2026}));
    }

    void anAreaLeavesRoomForTextsAboveTheLimit()
    {
        constexpr double line = 15.0;
        QCOMPARE(captionOverhang(sceneOf({20.0}, 50.0), 60.0, line), 0.0);
        const double for_limit = captionOverhang(sceneOf({20.0}, 80.0), 60.0, line);
        QVERIFY(for_limit >= line - 12.0 && for_limit < line);
        // The line is 12 pixels below the top: a total and the limit's text stand above it.
        const BarScene just_below = sceneOf({79.0}, 80.0);
        QVERIFY(captionOverhang(just_below, 60.0, line) >= 2 * line - 12.0);
        BarScene with_note = just_below;
        with_note.note = "It does not fit";
        const double for_total = captionOverhang(with_note, 60.0, line);
        QVERIFY(for_total >= line - 12.0 && for_total < 2 * line - 12.0);
    }

    // Bars and totals around the line: it is not written over them while another place is free.
    void theLimitsTextGoesToTheLineAboveWhereBarsLeaveNoRoom()
    {
        const QFontMetricsF metrics{QGuiApplication::font()};
        BarScene scene = sceneOf({95.0, 90.0, 85.0}, 60.0);
        const BarMapping mapping = mappingOf(scene, Qt::Vertical, {40.0, 30.0, 240.0, 60.0});
        const auto placed = placeSegments(scene, mapping);
        const auto place = [&] {
            return placeLimitText(scene, mapping, placed, placeCaptions(scene, mapping, placed, metrics),
                                  metrics);
        };
        QVERIFY(place());
        scene.note = "It takes more GPUs";
        QVERIFY(!place());
        scene = sceneOf({30.0, 20.0}, 60.0);
        scene.note = "All is well";
        QVERIFY(placeLimitText(scene, mapping, {}, {}, metrics));
    }
};

QTEST_MAIN(TestBarCaptions)
#include "tst_bar_captions.moc"

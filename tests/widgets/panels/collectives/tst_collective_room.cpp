#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/collectives/measured_tables.h"
#include "widgets/panels/collectives/collective_panel.h"
#include "widgets/panels/collectives/fit_bar.h"
#include "widgets/panels/controls/short_choice_box.h"
#include "widgets/plots/curves/curve_painting.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/theme.h"

#include "core/scenario/own_presets.h"

#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace shardscope;

// What the explorer of collectives shows where there is little room, and for how long.
class TestCollectiveRoom : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void howFarItMayBeOffIsSeenWhole_data()
    {
        QTest::addColumn<int>("up");
        QTest::newRow("bandwidths") << static_cast<int>(CollectivePanel::Up::bandwidth);
        QTest::newRow("times") << static_cast<int>(CollectivePanel::Up::time);
    }
    void howFarItMayBeOffIsSeenWhole()
    {
        QFETCH(int, up);
        CollectivePanel panel;
        const Presets presets = loadPresets().value();
        for (const ClusterPreset& preset : presets.clusters()) {
            Content content = contentOf(false);
            auto predicted = std::make_shared<PredictedScenario>(*content.predicted);
            predicted->scenario.cluster = preset.cluster;
            content.predicted = predicted;
            panel.setContent(content);
            panel.setUp(static_cast<CollectivePanel::Up>(up));
            const CurveScene& scene = panel.view().scene();
            for (const CurveBand& band : scene.bands)
                for (const QPointF& point : band.high)
                    QVERIFY2(point.y() <= scene.y_high, preset.name.c_str());
        }
    }

    void aChoiceIsShortenedAtItsCommaFirst()
    {
        ShortChoiceBox box;
        box.addItem("tp: 8 ranks, 8 on a node");
        QStringList texts;
        for (int width = box.sizeHint().width(); width >= box.minimumSizeHint().width(); --width) {
            box.resize(width, 24);
            if (!texts.contains(box.closedText()))
                texts << box.closedText();
        }
        QCOMPARE(texts, (QStringList{"tp: 8 ranks, 8 on a node", "tp: 8 ranks", "tp"}));
    }

    // By a button of its own, or where there is room for one button by the other's arrow.
    void otherSystemsAreInReachAtEveryWidth()
    {
        CollectivePanel panel;
        panel.setPresets(loadPresets().value());
        panel.setContent(contentOf(true));
        panel.show(Op::all_reduce, "1 node:");
        panel.QWidget::show();
        for (int width = 300; width <= 700; width += 20) {
            panel.resize(width, 240);
            QCoreApplication::processEvents();
            const QList<QToolButton*> buttons = panel.findChildren<QToolButton*>();
            const auto shown = [&](const QString& text) {
                return std::ranges::any_of(buttons, [&](const QToolButton* button) {
                    return button->text() == text && button->isVisible()
                           && (text == "fit" || button->menu() != nullptr);
                });
            };
            const auto has_menu = [](const QToolButton* button) {
                return button->isVisible() && button->menu() != nullptr
                       && button->menu()->actions().size() > 3;
            };
            QVERIFY(shown("fit"));
            QCOMPARE(std::ranges::count_if(buttons, has_menu), 1);
            QVERIFY(width < 600 || shown("compare"));
        }
    }

    // The whole stands in the tip.
    void aVerdictIsCutAtAWordAndTheCurvesKeepTheirRoom_data()
    {
        QTest::addColumn<int>("height");
        QTest::newRow("low") << 190;
        QTest::newRow("usual") << 280;
        QTest::newRow("high") << 700;
    }
    void aVerdictIsCutAtAWordAndTheCurvesKeepTheirRoom()
    {
        QFETCH(const int, height);
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        panel.QWidget::show();
        panel.resize(330, height);
        auto* bar = panel.findChild<FitBar*>();
        const QString sentence = QStringLiteral("Not taken. Mean error 3.2 % (before: 3.7 %). ");
        bar->ask(sentence.repeated(5).trimmed(), sentence.repeated(5));
        QCoreApplication::processEvents();
        QCOMPARE(bar->text(), sentence.repeated(5).trimmed());
        const auto* label = bar->findChild<QLabel*>();
        QVERIFY(label->height() >= label->sizeHint().height());
        for (const QString& line : bar->shownText().split('\n'))
            QVERIFY2(label->fontMetrics().horizontalAdvance(line) <= label->width(), qPrintable(line));
        const bool is_whole = QString{bar->shownText()}.replace('\n', ' ') == bar->text();
        QVERIFY(is_whole || bar->shownText().endsWith(QChar{0x2026}));
        QVERIFY(is_whole || height < 700);
        QCOMPARE(label->toolTip(), sentence.repeated(5));
        const CurveView& view = *panel.findChild<CurveView*>();
        QVERIFY2(view.height() >= 100, qPrintable(QString::number(view.height())));
        const QRectF area = curveArea(view.scene(), view.rect(), pixelFont(view.font()));
        QVERIFY2(area.height() >= 40.0, qPrintable(QString::number(area.height())));
    }

    void whatWasToldOfADragIsWithdrawnWhenItIsUndone()
    {
        CollectivePanel panel;
        panel.resize(500, 300);
        const Content before = contentOf(false);
        panel.setContent(before);
        const QSignalSpy wished{&panel, &PicturePanel::scenarioWished};
        const QSignalSpy told{&panel, &PicturePanel::statusWished};
        auto* view = panel.findChild<CurveView*>();
        emit view->handleMoved(1, 0.5 * view->scene().handles[1].at.y(), 7);
        QVERIFY(told.last().at(0).toString().startsWith("latency: "));
        Content after = before;
        auto moved = std::make_shared<PredictedScenario>(*before.predicted);
        moved->scenario = wished.last().at(0).value<Scenario>();
        after.predicted = moved;
        panel.setContent(after);
        QVERIFY(told.last().at(0).toString().startsWith("latency: "));
        panel.setContent(before);
        QCOMPARE(told.last().at(0).toString(), QString{});
    }
};

QTEST_MAIN(TestCollectiveRoom)
#include "tst_collective_room.moc"

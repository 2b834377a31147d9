#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>

#include "tests/widgets/panels/scenario/live_panel.h"
#include "widgets/panels/scenario/setting_finder.h"
#include "widgets/panels/scenario/setting_search.h"

using namespace shardscope;

namespace
{

SettingFinder& finderOf(const LivePanel& live)
{
    return *live.panel.findChild<SettingFinder*>();
}

void type(const LivePanel& live, const QString& words)
{
    finderOf(live).setFocus();
    finderOf(live).selectAll();
    QTest::keyClicks(&finderOf(live), words);
}

// Keys of the lines that can be seen or scrolled to.
QStringList shownKeys(const LivePanel& live)
{
    QStringList keys;
    for (const ScenarioRow* row : live.panel.findChildren<ScenarioRow*>())
        if (row->isVisible())
            keys << row->key();
    return keys;
}

QStringList shownHeadings(const LivePanel& live)
{
    QStringList titles;
    for (const QLabel* label : live.panel.findChild<QScrollArea*>()->findChildren<QLabel*>())
        if (label->isVisible() && label->font().bold())
            titles << label->text();
    return titles;
}

QString said(const LivePanel& live)
{
    const auto& label = *live.panel.findChild<QLabel*>("nothing found");
    return label.isVisible() ? label.text() : QString{};
}

int place(const LivePanel& live)
{
    return live.panel.findChild<QScrollArea*>()->verticalScrollBar()->value();
}

QToolButton& unfoldButton(const LivePanel& live)
{
    for (QToolButton* button : live.panel.findChildren<QToolButton*>())
        if (button->text() == "Advanced")
            return *button;
    qFatal("there is no such button");
}

} // namespace

// The form while settings are searched.
class TestSettingSearch : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void allWordsHaveToStandSomewhere_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("finds");
        QTest::newRow("nothing") << "" << true;
        QTest::newRow("blanks") << "  " << true;
        QTest::newRow("a word") << "latency" << true;
        QTest::newRow("a part of one") << "aten" << true;
        QTest::newRow("in capitals") << "LATENCY" << true;
        QTest::newRow("two in another order") << " nodes  latency " << true;
        QTest::newRow("one that is not there") << "latency zebra" << false;
    }
    void allWordsHaveToStandSomewhere()
    {
        QFETCH(QString, typed);
        const SettingSearch search{typed};
        QCOMPARE(search.isOn(), !typed.trimmed().isEmpty());
        QTEST(search.finds("Latency between nodes"), "finds");
    }

    // Whoever calls it a rack finds it too.
    void podsAreFoundByBothTheirWords()
    {
        const LivePanel live{scenarioOf(2, 2, 4)};
        for (const char* word : {"rack", "pod"}) {
            type(live, word);
            for (const char* key : {"cluster.nodes_per_pod", "cluster.oversubscription"})
                QVERIFY2(shownKeys(live).contains(key), word);
        }
    }

    void linesWithTheWordsAreShownAlone_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QStringList>("keys");
        QTest::addColumn<QStringList>("headings");
        const auto row = [](const char* name, const char* typed, const QStringList& keys,
                            const QStringList& headings) {
            QTest::newRow(name) << QString{typed} << keys << headings;
        };
        row("by its key", "kv_lora_rank", {"model.mla.kv_lora_rank"}, {"Experts and latent attention"});
        row("by its name", "head dim", {"model.head_dim"}, {"Model in detail"});
        row("by what is said of it", "masked swiglu", {}, {});
        row("by two words of its tip", "swiglu matrices", {"model.gated_mlp"}, {"Model in detail"});
        row("by what dropout is counted with", "learned dropout masks",
            {"model.position_embedding", "model.linear_bias"}, {"Model in detail"});
        row("by what it changes", "mfu", {"training.causal_flops"}, {"Training in detail"});
        row("by what a format keeps", "fp8 kept bf16", {"training.precision"}, {"Cluster"});
        row("by one of its choices", "zero-offload", {"training.offload"}, {"Training in detail"});
        row("by its group", "layout in detail",
            {"parallel.context_method", "parallel.stage_balance", "parallel.stage_layers"},
            {"Layout in detail"});
        row("of the everyday ones", "micro_batch_size", {"training.micro_batch_size"}, {"Batch"});
        row("of two groups", "vocabulary multiple", {"model.vocab_size", "model.vocab_padding"},
            {"Model", "Model in detail"});
    }
    void linesWithTheWordsAreShownAlone()
    {
        QFETCH(QString, typed);
        const LivePanel live{scenarioOf(2, 2, 4)};
        type(live, typed);
        QTEST(shownKeys(live), "keys");
        QTEST(shownHeadings(live), "headings");
        QVERIFY(!unfoldButton(live).isVisible());
    }

    void listsOfPresetsAreFoundToo()
    {
        const LivePanel live{scenarioOf(2, 2, 4)};
        const auto isShown = [&](const char* name) {
            return controlOf<QComboBox>(live.panel, name).isVisible();
        };
        type(live, "cluster preset");
        QVERIFY(isShown("Cluster preset"));
        QVERIFY(!isShown("Model preset"));
        QCOMPARE(shownHeadings(live), QStringList{"Cluster"});
        QCOMPARE(said(live), QString{});
        type(live, "virtual stages");
        QVERIFY(!isShown("Cluster preset"));
    }

    void thatNothingIsFoundIsSaid_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("no such words") << "zebra"
                                       << "No setting has these words.";
        QTest::newRow("one that a dense model has no use for")
            << "ep_overlap"
            << "Of no use in this scenario: Overlap experts.";
        QTest::newRow("found") << "virtual_stages"
                               << "";
    }
    void thatNothingIsFoundIsSaid()
    {
        QFETCH(QString, typed);
        const LivePanel live{scenarioOf(2, 2, 4)};
        type(live, typed);
        QTEST(said(live), "sentence");
        QCOMPARE(shownKeys(live).isEmpty(), !said(live).isEmpty());
        finderOf(live).clear();
        QCOMPARE(said(live), QString{});
    }

    void allComesBackAsItWas_data()
    {
        QTest::addColumn<bool>("is_unfolded");
        QTest::addColumn<bool>("by_escape");
        for (const bool unfolded : {false, true})
            for (const bool escape : {false, true})
                QTest::addRow("%s, %s", unfolded ? "unfolded" : "folded", escape ? "Esc" : "erased")
                    << unfolded << escape;
    }
    void allComesBackAsItWas()
    {
        QFETCH(bool, is_unfolded);
        QFETCH(bool, by_escape);
        const LivePanel live{scenarioOf(2, 2, 4)};
        if (is_unfolded)
            unfoldButton(live).click();
        QCoreApplication::processEvents();
        live.panel.findChild<QScrollArea*>()->verticalScrollBar()->setValue(150);
        const int before = place(live);
        QVERIFY(before > 0);
        const QStringList keys = shownKeys(live);
        const QStringList headings = shownHeadings(live);
        type(live, "heads");
        QVERIFY(shownKeys(live).size() < keys.size());
        QCOMPARE(place(live), 0);
        if (by_escape)
            QTest::keyClick(&finderOf(live), Qt::Key_Escape);
        for (int i = 0; !by_escape && i < 5; ++i)
            QTest::keyClick(&finderOf(live), Qt::Key_Backspace);
        QCOMPARE(finderOf(live).text(), QString{});
        QCOMPARE(shownKeys(live), keys);
        QCOMPARE(shownHeadings(live), headings);
        QCOMPARE(unfoldButton(live).isVisible(), true);
        QCOMPARE(unfoldButton(live).arrowType(), is_unfolded ? Qt::DownArrow : Qt::RightArrow);
        QCoreApplication::processEvents();
        QCOMPARE(place(live), before);
    }

    void whatIsIdleStaysSo()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        Scenario scenario = scenarioOf(2, 2, 4);
        scenario.time_model = TimeModel::li;
        live.panel.setScenario(scenario);
        type(live, "inter_node.latency");
        QCOMPARE(shownKeys(live), QStringList{"cluster.inter_node.latency_us"});
        QVERIFY(!live.edit("cluster.inter_node.latency_us").isEnabled());
    }

    void aFoundLineIsEditedAndStays()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        type(live, "norms_per_layer");
        live.type("model.norms_per_layer", "4");
        QCOMPARE(live.current.model.norms_per_layer, 4);
        QCOMPARE(shownKeys(live), QStringList{"model.norms_per_layer"});
    }

    void aLineThatIsAskedForEndsTheSearch()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        type(live, "norms_per_layer");
        live.panel.reveal("model.norms_per_layer");
        QCOMPARE(finderOf(live).text(), QString{"norms_per_layer"}); // it is there
        live.panel.reveal("parallel.tensor");
        QCOMPARE(finderOf(live).text(), QString{});
        QVERIFY(live.panel.row("parallel.tensor")->isVisible());
    }

    void aProblemOfALineThatIsNotFoundIsSaidAbove()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        live.panel.setProblems({{"parallel.tensor", "A sentence of its own."}});
        const auto isSaidAbove = [&] {
            for (const QLabel* label : live.panel.findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains("A sentence of its own. <a"))
                    return true;
            return false;
        };
        QVERIFY(!isSaidAbove());
        type(live, "norms_per_layer");
        QVERIFY(isSaidAbove());
        finderOf(live).clear();
        QVERIFY(!isSaidAbove());
    }

    void keysGoOnToWhatIsFound_data()
    {
        QTest::addColumn<Qt::Key>("key");
        QTest::newRow("Return") << Qt::Key_Return;
        QTest::newRow("Down") << Qt::Key_Down;
    }
    void keysGoOnToWhatIsFound()
    {
        QFETCH(Qt::Key, key);
        LivePanel live{scenarioOf(2, 2, 4)};
        QVERIFY(QTest::qWaitForWindowActive(&live.panel));
        live.panel.beginSearch();
        QVERIFY(finderOf(live).hasFocus());
        type(live, "norms_per_layer");
        QTest::keyClick(&finderOf(live), key);
        QVERIFY(live.edit("model.norms_per_layer").hasFocus());
        type(live, "zebra");
        QTest::keyClick(&finderOf(live), key);
        QVERIFY(finderOf(live).hasFocus());
    }

    // What was typed into a line goes first, and a key that means something to the search nothing to the
    // window.
    void escInALineThatWasFoundBringsAllBack_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<bool>("is_typed_into");
        QTest::newRow("in a line of every day") << QByteArray{"training.micro_batch_size"} << false;
        QTest::newRow("in a line that is folded away again") << QByteArray{"model.norms_per_layer"} << false;
        QTest::newRow("after another number was typed") << QByteArray{"training.micro_batch_size"} << true;
    }
    void escInALineThatWasFoundBringsAllBack()
    {
        QFETCH(QByteArray, key);
        QFETCH(bool, is_typed_into);
        LivePanel live{scenarioOf(2, 2, 4)};
        QVERIFY(QTest::qWaitForWindowActive(&live.panel));
        QShortcut of_window{QKeySequence{Qt::Key_Escape}, &live.panel};
        QSignalSpy reached{&of_window, &QShortcut::activated};
        const QStringList all = shownKeys(live);
        type(live, key);
        ScenarioNumberEdit& edit = live.edit(key);
        QTest::mouseClick(&edit, Qt::LeftButton);
        if (is_typed_into) {
            QTest::keyClicks(&edit, "77");
            QTest::keyClick(&edit, Qt::Key_Escape);
            QCOMPARE(finderOf(live).text(), QString{key});
        }
        QTest::keyClick(&edit, Qt::Key_Escape);
        QCOMPARE(finderOf(live).text(), QString{});
        QCOMPARE(shownKeys(live), all);
        QVERIFY(live.gestures.isEmpty());
        QVERIFY(edit.isVisible() ? edit.hasFocus() : finderOf(live).hasFocus());
        QVERIFY(reached.isEmpty());
        QTest::keyClick(live.panel.focusWidget(), Qt::Key_Escape);
        QCOMPARE(reached.size(), 1);
    }

    // By way of the form, which arrows scroll.
    void tabReachesWhatIsFoundAndNothingElse()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        QVERIFY(QTest::qWaitForWindowActive(&live.panel));
        live.panel.beginSearch();
        type(live, "norms_per_layer");
        QStringList names;
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(live.panel.focusWidget(), Qt::Key_Tab);
            names << live.panel.focusWidget()->accessibleName();
        }
        QCOMPARE(names, (QStringList{"", "Norms in a layer", "Find a setting"}));
    }
};

QTEST_MAIN(TestSettingSearch)
#include "tst_setting_search.moc"

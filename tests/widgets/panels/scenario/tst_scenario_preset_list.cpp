#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "widgets/panels/scenario/scenario_preset_list.h"

using namespace shardscope;

namespace
{

std::vector<PresetEntry> someModels()
{
    std::vector<PresetEntry> entries;
    for (const char* title :
         {"Llama 2 70B", "VGG16 (Simonyan & Zisserman 2015)", "GPT 22B (Korthikanti et al. 2022)",
          "Llama 2 7B", "GPT 125M (Cheng et al. 2024)", "Mixtral 8x7B (Jiang et al. 2024)",
          "GPT 1T (Narayanan et al. 2021)"})
        entries.push_back({QString{title}.toLower(), title, presetFamily(title), {}});
    return sortedByFamily(std::move(entries));
}

} // namespace

class TestScenarioPresetList : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void titlesTellSizes_data()
    {
        QTest::addColumn<QString>("title");
        QTest::addColumn<double>("size");
        QTest::newRow("millions") << "GPT 125M (Cheng et al. 2024)" << 125e6;
        QTest::newRow("billions") << "Llama 2 70B" << 70e9;
        QTest::newRow("a fraction") << "GPT 18.4B (Narayanan et al. 2021)" << 18.4e9;
        QTest::newRow("trillions") << "GPT 1T (Narayanan et al. 2021)" << 1e12;
        QTest::newRow("experts") << "Mixtral 8x7B (Jiang et al. 2024)" << 56e9;
        QTest::newRow("none") << "ResNet-50 (He et al. 2016)" << 0.0;
    }
    void titlesTellSizes()
    {
        QFETCH(QString, title);
        QTEST(presetSize(title), "size");
    }

    void familiesStandTogetherBySize()
    {
        QStringList order;
        for (const PresetEntry& entry : someModels())
            order << entry.family + ": " + entry.title.section(" (", 0, 0);
        QCOMPARE(order, (QStringList{"GPT: GPT 125M", "GPT: GPT 22B", "GPT: GPT 1T", "Llama: Llama 2 7B",
                                     "Llama: Llama 2 70B", "Others: VGG16", "Others: Mixtral 8x7B"}));
    }

    void headingsCannotBeChosen()
    {
        const ScenarioPresetList list{someModels()};
        QCOMPARE(list.itemText(0), "GPT");
        QVERIFY(!(list.model()->flags(list.model()->index(0, 0)) & Qt::ItemIsEnabled));
        QCOMPARE(list.itemText(1), "GPT 125M (Cheng et al. 2024)");
    }

    void aTitleThatIsTypedIsChosen()
    {
        ScenarioPresetList list{someModels()};
        list.show("llama 2 70b", false);
        const QSignalSpy chosen{&list, &ScenarioPresetList::chosen};
        list.lineEdit()->selectAll();
        QTest::keyClicks(list.lineEdit(), "llama 2 7b");
        QTest::keyClick(list.lineEdit(), Qt::Key_Return);
        QVERIFY(chosen.count() >= 1);
        QCOMPARE(chosen.back().front().toString(), "llama 2 7b");
    }

    void returnTakesTheFirstMatch_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("name");
        QTest::newRow("one has it") << "korth"
                                    << "gpt 22b (korthikanti et al. 2022)";
        QTest::newRow("several have it") << "2 7"
                                         << "llama 2 7b";
        QTest::newRow("a heading has it too") << "LLAMA"
                                              << "llama 2 7b";
    }
    void returnTakesTheFirstMatch()
    {
        QFETCH(QString, typed);
        ScenarioPresetList list{someModels()};
        list.show("mixtral 8x7b (jiang et al. 2024)", false);
        list.QWidget::show();
        QVERIFY(QTest::qWaitForWindowActive(&list));
        list.setFocus();
        connect(&list, &ScenarioPresetList::chosen, &list,
                [&](const QString& name) { list.show(name, false); });
        const QSignalSpy chosen{&list, &ScenarioPresetList::chosen};
        list.lineEdit()->selectAll();
        QTest::keyClicks(&list, typed);
        QWidget* popup = QApplication::activePopupWidget();
        QVERIFY(popup);
        QTest::keyClick(popup, Qt::Key_Return);
        QVERIFY(!QApplication::activePopupWidget());
        QCOMPARE(chosen.count(), 1);
        QTEST(chosen.front().front().toString(), "name");
        QCOMPARE(list.currentText().toLower(), chosen.front().front().toString());
        QVERIFY(list.refusal().isHidden());
    }

    void escapeGivesUp()
    {
        ScenarioPresetList list{someModels()};
        list.show("llama 2 70b", false);
        list.QWidget::show();
        QVERIFY(QTest::qWaitForWindowActive(&list));
        list.setFocus();
        const QSignalSpy chosen{&list, &ScenarioPresetList::chosen};
        list.lineEdit()->selectAll();
        QTest::keyClicks(&list, "korth");
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Escape);
        QVERIFY(!QApplication::activePopupWidget());
        QCOMPARE(list.currentText(), "Llama 2 70B");
        QCOMPARE(chosen.count(), 0);
    }

    void whatWasNotTakenIsSaid()
    {
        ScenarioPresetList list{someModels()};
        list.show("llama 2 70b", false);
        list.lineEdit()->selectAll();
        QTest::keyClicks(list.lineEdit(), "my own");
        QTest::keyClick(list.lineEdit(), Qt::Key_Return);
        QCOMPARE(list.refusal().text(), "No preset is called “my own”: Llama 2 70B stays.");
        list.lineEdit()->selectAll();
        QTest::keyClicks(list.lineEdit(), "korth");
        QCOMPARE(list.refusal().text(), QString{});
        emit list.lineEdit()->editingFinished(); // as the focus goes elsewhere
        QVERIFY2(list.refusal().text().contains("GPT 22B"), qPrintable(list.refusal().text()));
        QCOMPARE(list.currentText(), "Llama 2 70B");
    }

    void anotherTextGivesWay()
    {
        ScenarioPresetList list{someModels()};
        list.show("llama 2 70b", false);
        const QSignalSpy chosen{&list, &ScenarioPresetList::chosen};
        list.lineEdit()->selectAll();
        QTest::keyClicks(list.lineEdit(), "my own");
        QTest::keyClick(list.lineEdit(), Qt::Key_Return);
        QCOMPARE(chosen.count(), 0);
        QCOMPARE(list.currentText(), "Llama 2 70B");
    }

    void editedFiguresAreSaid()
    {
        ScenarioPresetList list{someModels()};
        list.show("llama 2 70b", true);
        QCOMPARE(list.currentText(), "Llama 2 70B, edited");
        list.show({}, true);
        QCOMPARE(list.currentText(), "own figures");
    }
};

QTEST_MAIN(TestScenarioPresetList)
#include "tst_scenario_preset_list.moc"

#include <QTest>

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>

#include "core/analysis/classification/own_rules.h"

using namespace shardscope;

class TestOwnRules : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

private slots:
    void init() { qputenv("SHARDSCOPE_RULES", m_folder.filePath("deep/own.rules").toLocal8Bit()); }

    void withoutOwnRulesTheShippedOnesHold()
    {
        const auto rules = rulesInUse();
        QVERIFY(rules);
        QCOMPARE(rules.value().text(), ClassificationRules::shipped().text());
    }

    void savedRulesHoldUntilTheyAreForgotten()
    {
        QVERIFY(saveOwnRules("communication my_all_to_all\n"));
        const auto own = rulesInUse();
        QVERIFY(own);
        QVERIFY(own.value().isCommunication("My_All_To_All_kernel"));
        QVERIFY(!own.value().isCommunication("ncclDevKernel_AllReduce"));
        QVERIFY(forgetOwnRules());
        QVERIFY(rulesInUse().value().isCommunication("ncclDevKernel_AllReduce"));
        QVERIFY(forgetOwnRules()); // there is nothing to forget any more
    }

    void aWrongLineIsNotSaved()
    {
        QVERIFY(!saveOwnRules("comunication nccl\n"));
        QVERIFY(!QFile::exists(m_folder.filePath("deep/own.rules")));
    }

    void aWrongFileIsNamed()
    {
        QFile file{m_folder.filePath("wrong.rules")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("group nobody x\n");
        file.close();
        qputenv("SHARDSCOPE_RULES", file.fileName().toLocal8Bit());
        const auto rules = rulesInUse();
        QVERIFY(!rules);
        QVERIFY(QString::fromStdString(rules.error().sentence).contains("wrong.rules"));
    }

    void aShippedFileThatWasEditedWronglyIsTold()
    {
        const QDir data{m_folder.filePath("data")};
        QVERIFY(data.mkpath("resources/rules"));
        qputenv("SHARDSCOPE_DATA", data.path().toLocal8Bit());
        const auto restore = qScopeGuard([] { qunsetenv("SHARDSCOPE_DATA"); });
        QCOMPARE(rulesInUse().value().text(), ClassificationRules::shipped().text()); // as compiled in
        QFile file{data.filePath("resources/rules/communication.rules")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("kind tp all\ncomunication nccl\n");
        file.close();
        const auto rules = rulesInUse();
        QVERIFY(!rules);
        QVERIFY2(QString::fromStdString(rules.error().sentence).contains("communication.rules: line 2"),
                 rules.error().sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(TestOwnRules)
#include "tst_own_rules.moc"

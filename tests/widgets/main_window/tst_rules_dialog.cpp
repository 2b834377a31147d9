#include "tests/fail_on_warnings.h"
#include "widgets/main_window/rules_dialog.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace shardscope;

class TestRulesDialog : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

private slots:
    void init()
    {
        failOnWarnings();
        qputenv("SHARDSCOPE_RULES", m_folder.filePath("own.rules").toLocal8Bit());
        QFile::remove(m_folder.filePath("own.rules"));
    }

    void itStartsWithTheShippedRules()
    {
        const RulesDialog dialog;
        QVERIFY(dialog.editor().toPlainText().contains("communication nccl"));
        QVERIFY(dialog.fault().isEmpty());
    }

    void aFaultNamesItsLineAndIsNotSaved()
    {
        RulesDialog dialog;
        QSignalSpy saved{&dialog, &RulesDialog::rulesSaved};
        dialog.editor().setPlainText("communication nccl\ncomunication rccl\n");
        QVERIFY(dialog.fault().contains("2"));
        dialog.save();
        QCOMPARE(saved.size(), 0);
        QVERIFY(!QFile::exists(m_folder.filePath("own.rules")));
    }

    // Saved over unseen, it would be lost.
    void aFileThatCannotBeShownIsNamed()
    {
        QFile own{m_folder.filePath("own.rules")};
        QVERIFY(own.open(QIODevice::WriteOnly));
        own.write(QByteArray{"no rule\n"}.repeated(1 << 18));
        own.close();
        const RulesDialog dialog;
        QVERIFY(dialog.editor().toPlainText().isEmpty());
        dialog.trial().setText("nccl"); // changes no rule
        QVERIFY2(dialog.fault().startsWith(own.fileName()), qPrintable(dialog.fault()));
        const QPushButton& save = *dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
        QVERIFY(!save.isEnabled());
        dialog.editor().setPlainText("communication my_ring");
        QVERIFY(save.isEnabled());
    }

    void aNameCanBeTried()
    {
        const RulesDialog dialog;
        dialog.trial().setText("my_ring_kernel");
        QVERIFY(dialog.verdict().startsWith("compute"));
        dialog.editor().appendPlainText("communication my_ring");
        QVERIFY(dialog.verdict().startsWith("communication"));
    }

    void savedRulesAreToldAndStay()
    {
        RulesDialog dialog;
        QSignalSpy saved{&dialog, &RulesDialog::rulesSaved};
        dialog.editor().setPlainText("communication my_ring\n");
        dialog.save();
        QCOMPARE(saved.size(), 1);
        QVERIFY(saved.front().front().value<ClassificationRules>().isCommunication("my_ring"));
        RulesDialog again;
        QCOMPARE(again.editor().toPlainText(), QString{"communication my_ring\n"});
        again.restoreShipped();
        QVERIFY(!QFile::exists(m_folder.filePath("own.rules")));
    }
};

QTEST_MAIN(TestRulesDialog)
#include "tst_rules_dialog.moc"

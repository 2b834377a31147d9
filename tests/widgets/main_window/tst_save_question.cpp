#include <QtTest>

#include "widgets/main_window/save_question.h"

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>

using namespace shardscope;

namespace
{

// Types a name into the file dialog and answers what is asked then; Cancel in the dialog ends a second round.
class User : public QObject
{
public:
    User(QString name, QMessageBox::StandardButton answer) : m_name{std::move(name)}, m_answer{answer}
    {
        startTimer(10);
    }
    int questions() const { return m_questions; }

protected:
    void timerEvent(QTimerEvent*) override
    {
        QWidget* on_top = QApplication::activeModalWidget();
        if (auto* question = qobject_cast<QMessageBox*>(on_top)) {
            ++m_questions;
            question->button(m_answer)->click();
        } else if (auto* dialog = qobject_cast<QFileDialog*>(on_top)) {
            if (m_has_named) {
                dialog->reject();
                return;
            }
            m_has_named = true;
            dialog->findChild<QLineEdit*>("fileNameEdit")->setText(m_name);
            static_cast<QDialog*>(dialog)->accept(); // protected in QFileDialog
        }
    }

private:
    QString m_name;
    QMessageBox::StandardButton m_answer;
    bool m_has_named = false;
    int m_questions = 0;
};

void write(const QString& path)
{
    QFile file{path};
    QVERIFY(file.open(QIODevice::WriteOnly));
}

} // namespace

class TestSaveQuestion : public QObject
{
    Q_OBJECT

private slots:
    void namesGetAnEnding_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("file");
        QTest::newRow("none") << "run"
                              << "run.scenario.json";
        QTest::newRow("dots are of the name") << "llama-3.1"
                                              << "llama-3.1.scenario.json";
        QTest::newRow("its own") << "run.scenario.json"
                                 << "run.scenario.json";
        QTest::newRow("another that is read") << "run.JSON"
                                              << "run.JSON";
    }

    void namesGetAnEnding()
    {
        QFETCH(QString, name);
        QTEST(withEnding(name, {".scenario.json", ".json"}), "file");
    }

    void whatTheEndingLeadsToIsReplacedIfTheUserSaysSo_data()
    {
        QTest::addColumn<bool>("is_there");
        QTest::addColumn<QMessageBox::StandardButton>("answer");
        QTest::addColumn<int>("questions");
        QTest::addColumn<QString>("file");
        QTest::newRow("nothing is there") << false << QMessageBox::No << 0 << "run.json";
        QTest::newRow("yes") << true << QMessageBox::Yes << 1 << "run.json";
        QTest::newRow("no, and no other name") << true << QMessageBox::No << 1 << "";
    }

    void whatTheEndingLeadsToIsReplacedIfTheUserSaysSo()
    {
        QFETCH(bool, is_there);
        QFETCH(QMessageBox::StandardButton, answer);
        const QTemporaryDir folder;
        if (is_there)
            write(folder.filePath("run.json"));
        const User user{folder.filePath("run"), answer};
        const QString file =
            askWhereToSave(nullptr, {"Save", folder.filePath("untitled.json"), {".json"}, "JSON (*.json)"});
        QTEST(user.questions(), "questions");
        QTEST(file.isEmpty() ? file : QDir{folder.path()}.relativeFilePath(file), "file");
    }
};

QTEST_MAIN(TestSaveQuestion)
#include "tst_save_question.moc"

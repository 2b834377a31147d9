#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/session/recent_files.h"

using namespace shardscope;

class TestRecentFiles : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnWarnings();
        QVERIFY(m_folder.isValid());
        QCoreApplication::setOrganizationName("shardscope-test");
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QSettings{}.clear();
    }

    void theNewestComesFirstAndOnlyOnce()
    {
        RecentFiles recent;
        const QSignalSpy changed{&recent, &RecentFiles::changed};
        const QString a = touched("a.json");
        const QString b = touched("b.json");
        recent.add(a);
        recent.add(b);
        recent.add(a);
        QCOMPARE(recent.paths(), (QStringList{a, b}));
        QCOMPARE(changed.count(), 3);
        QCOMPARE(RecentFiles{}.paths(), (QStringList{a, b})); // another run of the program
    }

    void aFolderIsTheSameWithASlashBehindIt()
    {
        RecentFiles recent;
        recent.add(m_folder.path());
        recent.add(m_folder.path() + '/');
        QCOMPARE(recent.paths(), QStringList{m_folder.path()});
    }

    void whatAnotherWindowAddedStays()
    {
        RecentFiles one;
        RecentFiles other;
        other.add(touched("b.json"));
        one.add(touched("a.json"));
        QCOMPARE(one.paths(), (QStringList{touched("a.json"), touched("b.json")}));
    }

    void theOldestFallOut()
    {
        RecentFiles recent;
        for (int number = 0; number < RecentFiles::capacity + 3; ++number)
            recent.add(touched(QString{"%1.json"}.arg(number)));
        QCOMPARE(recent.paths().size(), RecentFiles::capacity);
        QCOMPARE(recent.paths().last(), touched("3.json"));
    }

    void filesThatVanishedAreNotShown()
    {
        RecentFiles recent;
        const QString path = touched("gone.json");
        recent.add(path);
        QVERIFY(QFile::remove(path));
        QVERIFY(recent.paths().isEmpty());
    }

    void clearForgetsAll()
    {
        RecentFiles recent;
        recent.add(touched("a.json"));
        recent.clear();
        QVERIFY(recent.paths().isEmpty());
        QVERIFY(RecentFiles{}.paths().isEmpty());
    }

private:
    QString touched(const QString& name)
    {
        QFile file{m_folder.filePath(name)};
        [[maybe_unused]] const bool opened = file.open(QIODevice::WriteOnly);
        return file.fileName();
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestRecentFiles)
#include "tst_recent_files.moc"

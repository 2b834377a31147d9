#include <QTest>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "core/base/file.h"
#include "core/base/new_file.h"

#include <sys/stat.h>
#include <thread>

using namespace shardscope;

class TestNewFile : public QObject
{
    Q_OBJECT

    static QByteArray contentOf(const QString& path)
    {
        QFile file{path};
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{"cannot be read"};
    }

    static void write(const QString& path, const QByteArray& content)
    {
        QFile file{path};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

private slots:
    void whatIsNotFinishedLeavesEverythingAsItWas()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.json");
        write(path, "old");
        {
            Result<NewFile> file = NewFile::create(path.toStdString());
            QVERIFY(file);
            file.value().write("half");
            QCOMPARE(contentOf(path), "old");
        }
        QCOMPARE(contentOf(path), "old");
        QCOMPARE(QDir{folder.path()}.entryList(QDir::Files | QDir::Hidden), QStringList{"a.json"});
    }

    void aReplacedFileKeepsItsPermissions()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.json");
        write(path, "old");
        const auto only_mine = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
        QVERIFY(QFile::setPermissions(path, only_mine));
        QVERIFY(replaceFile(path.toStdString(), "new"));
        QCOMPARE(contentOf(path), "new");
        const auto of_group_and_others = QFileDevice::ReadGroup | QFileDevice::ReadOther;
        QVERIFY(!(QFile::permissions(path) & of_group_and_others));
    }

    void ofALinkWhatItPointsToIsReplaced_data()
    {
        QTest::addColumn<bool>("is_there");
        QTest::newRow("a file") << true;
        QTest::newRow("nothing yet") << false;
    }
    void ofALinkWhatItPointsToIsReplaced()
    {
        QFETCH(const bool, is_there);
        const QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkdir("other"));
        const QString target = folder.filePath("other/target.json");
        const QString link = folder.filePath("link.json");
        if (is_there)
            write(target, "old");
        QVERIFY(QFile::link("other/target.json", link));
        QVERIFY(replaceFile(link.toStdString(), "new"));
        QVERIFY(QFileInfo{link}.isSymbolicLink());
        QCOMPARE(contentOf(target), "new");
    }

    void aFileThatSomebodyElseCallsPartStays()
    {
        const QTemporaryDir folder;
        write(folder.filePath("a.json.part"), "mine");
        QVERIFY(replaceFile(folder.filePath("a.json").toStdString(), "new"));
        QCOMPARE(contentOf(folder.filePath("a.json.part")), "mine");
    }

    void aPipeIsWrittenTo()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath("pipe");
        QCOMPARE(mkfifo(path.toStdString().c_str(), 0600), 0);
        QByteArray read;
        std::thread reader{[&] { read = contentOf(path); }};
        const Result<bool> written = replaceFile(path.toStdString(), "through");
        reader.join();
        QVERIFY(written);
        QCOMPARE(read, "through");
        QVERIFY(!QFileInfo{path}.isFile());
    }

    void aFullDeviceIsAnError()
    {
        if (!QFile::exists("/dev/full"))
            QSKIP("there is no /dev/full");
        QVERIFY(!replaceFile("/dev/full", "too much"));
        QVERIFY(!QFileInfo{"/dev/full"}.isFile());
    }

    void aFolderIsNoFile()
    {
        const QTemporaryDir folder;
        const Result<bool> written = replaceFile(folder.path().toStdString(), "new");
        QVERIFY(!written);
        QVERIFY(QString::fromStdString(written.error().sentence).contains("folder"));
        QVERIFY(!replaceFile("/nowhere/a.json", "new"));
    }
};

QTEST_APPLESS_MAIN(TestNewFile)
#include "tst_new_file.moc"

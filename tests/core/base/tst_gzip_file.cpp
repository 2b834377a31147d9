#include <QTest>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "core/base/gzip_file.h"

using namespace shardscope;

class TestGzipFile : public QObject
{
    Q_OBJECT
private slots:
    void theNameDecidesAboutCompression_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("start"); // RFC 1952: 1f 8b, then 8 for deflate
        QTest::newRow("compressed") << "a.json.gz" << QByteArray::fromHex("1f8b08");
        QTest::newRow("plain") << "a.json" << QByteArray{"0\n1"};
    }
    void theNameDecidesAboutCompression()
    {
        QFETCH(QString, name);
        QTemporaryDir folder;
        QFile file{folder.filePath(name)};
        QByteArray text;
        for (int i = 0; i < 100000; ++i)
            text += QByteArray::number(i) + '\n';
        Result<GzipFile> output = GzipFile::create(file.fileName().toStdString());
        QVERIFY(output);
        for (int i = 0; i < text.size(); i += 7777)
            output.value().write(text.mid(i, 7777).toStdString());
        QVERIFY(output.value().finish());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QFETCH(QByteArray, start);
        QCOMPARE(file.peek(3), start);
        QCOMPARE(contentOf(file), text);
    }

    void whatIsNotFinishedLeavesNothing()
    {
        QTemporaryDir folder;
        {
            Result<GzipFile> output = GzipFile::create(folder.filePath("a.gz").toStdString());
            QVERIFY(output);
            output.value().write("half");
        }
        QVERIFY(QDir{folder.path()}.isEmpty());
    }

    void aFolderIsNoFile()
    {
        QTemporaryDir folder;
        QVERIFY(!GzipFile::create(folder.path().toStdString()));
        QVERIFY(!GzipFile::create("/nowhere/a.gz"));
    }

private:
    // As gzip itself reads it.
    static QByteArray contentOf(QFile& file)
    {
        if (!file.fileName().endsWith(".gz"))
            return file.readAll();
        QProcess gzip;
        gzip.start("gzip", {"-dc", file.fileName()});
        gzip.waitForFinished();
        return gzip.readAllStandardOutput();
    }
};

QTEST_APPLESS_MAIN(TestGzipFile)
#include "tst_gzip_file.moc"

#include <QtTest>

#include "core/trace/path_differences.h"

using namespace shardscope;

using Paths = std::vector<std::string>;
Q_DECLARE_METATYPE(Paths)

class TestPathDifferences : public QObject
{
    Q_OBJECT

private slots:
    void whatTellsFilesApart_data()
    {
        QTest::addColumn<Paths>("paths");
        QTest::addColumn<Paths>("differences");
        QTest::newRow("folders of runs")
            << Paths{"/t/run-a/0.json", "/t/run-b/0.json"} << Paths{"run-a", "run-b"};
        QTest::newRow("names of files") << Paths{"/t/a.json", "/t/b.json"} << Paths{"a.json", "b.json"};
        QTest::newRow("folders in the middle of unequal depth")
            << Paths{"/t/x/it/1/0.json", "/t/y/1/0.json"} << Paths{"x/it", "y"};
        QTest::newRow("one in a folder below the other")
            << Paths{"t/0.json", "t/old/0.json"} << Paths{"", "old"};
        QTest::newRow("relative paths") << Paths{"a/0.json", "b/0.json"} << Paths{"a", "b"};
        QTest::newRow("none") << Paths{} << Paths{};
    }

    void whatTellsFilesApart()
    {
        QFETCH(Paths, paths);
        QFETCH(Paths, differences);
        QCOMPARE(pathDifferences(paths), differences);
    }
};

QTEST_APPLESS_MAIN(TestPathDifferences)
#include "tst_path_differences.moc"

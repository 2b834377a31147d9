#include <QTest>

#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>

#include <utility>

// Dependencies point one way. This table is the picture in ARCHITECTURE.md; a new arrow is a decision, made
// here.
static const QMap<QString, QStringList> allowed{
    {"core/base", {}},
    {"core/collectives", {"core/base"}},
    {"core/scenario", {"core/base", "core/collectives"}},
    {"core/prediction", {"core/base", "core/collectives", "core/scenario"}},
    {"core/lesson", {"core/base", "core/collectives", "core/scenario", "core/prediction"}},
    {"core/sweep", {"core/base", "core/collectives", "core/scenario", "core/prediction"}},
    {"core/trace", {"core/base"}},
    {"core/import", {"core/base", "core/trace"}},
    {"core/analysis", {"core/base", "core/collectives", "core/scenario", "core/prediction", "core/trace"}},
    {"core/inference",
     {"core/base", "core/collectives", "core/scenario", "core/prediction", "core/trace", "core/import",
      "core/analysis"}},
    {"core/digest", {"core/base", "core/trace", "core/import", "core/analysis"}},
    {"core/report",
     {"core/base", "core/collectives", "core/scenario", "core/prediction", "core/lesson", "core/sweep",
      "core/trace", "core/analysis", "core/inference"}},
    {"widgets/session", {"core"}},
    {"widgets/models", {"core", "widgets/session"}},
    {"widgets/plots", {"core", "widgets/session"}},
    {"widgets/panels", {"core", "widgets/session", "widgets/models", "widgets/plots"}},
    {"widgets/main_window", {"core", "widgets/session", "widgets/models", "widgets/plots", "widgets/panels"}},
    {"app/cli", {"core"}},
    {"app/desktop", {"core", "widgets"}},
};

struct Include {
    QString file; // from the project's root
    QString target;
};

static QString roomOf(const QString& path)
{
    return path.section('/', 0, 1);
}

// A folder within a room: "core/prediction/time"; nothing for a file of the room itself.
static QString partOf(const QString& path)
{
    return path.count('/') > 2 ? path.section('/', 0, 2) : QString{};
}

static std::vector<Include> includesBelow(const QString& folder)
{
    std::vector<Include> includes;
    const QDir root{SHARDSCOPE_SOURCE_FOLDER};
    // Not a raw string: Qt 6.4's moc loses its way in one that holds quotes.
    static const QRegularExpression line{"^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]",
                                         QRegularExpression::MultilineOption};
    QDirIterator files{root.filePath(folder), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories};
    while (files.hasNext()) {
        QFile file{files.next()};
        if (!file.open(QIODevice::ReadOnly))
            qFatal("cannot read %s", qPrintable(file.fileName()));
        auto matches = line.globalMatch(QString::fromUtf8(file.readAll()));
        while (matches.hasNext())
            includes.push_back({root.relativeFilePath(file.fileName()), matches.next().captured(1)});
    }
    return includes;
}

class TestIncludeDirections : public QObject
{
    Q_OBJECT
private slots:
    void everyRoomIsInTheTable()
    {
        const QDir root{SHARDSCOPE_SOURCE_FOLDER};
        for (const QString house : {"core", "widgets", "app"})
            for (const QString& room :
                 QDir{root.filePath(house)}.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
                QVERIFY2(allowed.contains(house + '/' + room), qPrintable(house + '/' + room));
    }

    // What somebody tried and left lying is easily committed with the rest.
    void theRootHoldsTheFoldersOfTheLayoutAlone()
    {
        QProcess git;
        git.start("git", {"-C", SHARDSCOPE_SOURCE_FOLDER, "ls-files"});
        if (!git.waitForFinished() || git.exitStatus() != QProcess::NormalExit || git.exitCode() != 0)
            QSKIP("this is no checkout of git");
        const QStringList layout{".ci",       "app",           "bench", "core",   "docs",
                                 "resources", "sample_traces", "tests", "widgets"};
        for (const QString& file : QString::fromUtf8(git.readAllStandardOutput()).split('\n'))
            if (const QString folder = file.section('/', 0, 0); file.contains('/'))
                QVERIFY2(layout.contains(folder), qPrintable(file));
    }

    void includesFollowTheArrows()
    {
        QStringList wrong;
        for (const QString house : {"core", "widgets", "app"}) {
            for (const Include& include : includesBelow(house)) {
                const QString from = roomOf(include.file);
                const QString to = roomOf(include.target);
                const bool isOurs =
                    to.startsWith("core/") || to.startsWith("widgets/") || to.startsWith("app/");
                if (!isOurs || from == to)
                    continue;
                const QStringList targets = allowed.value(from);
                if (!targets.contains(to) && !targets.contains(to.section('/', 0, 0)))
                    wrong << include.file + " includes " + include.target;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // What lies in the room itself may know its parts, and they its values: Prediction, Measurement, the
    // theme.
    void partsOfARoomIncludeEachOtherOneWay()
    {
        QMap<QString, QStringList> arrows;
        for (const QString house : {"core", "widgets", "app"}) {
            for (const Include& include : includesBelow(house)) {
                const QString from = partOf(include.file);
                const QString to = partOf(include.target);
                if (!from.isEmpty() && !to.isEmpty() && from != to && roomOf(from) == roomOf(to))
                    arrows[from] << to;
            }
        }
        QVERIFY(arrows.size() > 10);
        for (const QString& part : arrows.keys()) {
            QStringList reached = arrows.value(part);
            for (qsizetype i = 0; i < reached.size(); ++i)
                for (const QString& next : arrows.value(reached[i]))
                    if (!reached.contains(next))
                        reached << next;
            QVERIFY2(!reached.contains(part), qPrintable(part + " includes itself by " + reached.join(", ")));
        }
    }

    // Parts know the values that the room answers with, not the function that is built on them; and what
    // searches or reads files calls that function from another room.
    void thePredictionIsOneFunctionOfAScenario()
    {
        static const QStringList forbidden{
            "core/prediction/predict.h", "core/base/file.h", "core/base/resources.h",
            "core/scenario/presets.h",   "filesystem",       "fstream"};
        QStringList wrong;
        for (const Include& include : includesBelow("core/prediction"))
            if (forbidden.contains(include.target) && include.file != "core/prediction/predict.cpp")
                wrong << include.file + " includes " + include.target;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void theCoreKnowsNoWindow()
    {
        QStringList wrong;
        static const QRegularExpression qt{"^(Q[A-Z]|Qt)"};
        for (const Include& include : includesBelow("core"))
            if (qt.match(include.target).hasMatch())
                wrong << include.file + " includes " + include.target;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void onlyPlotsKnowQCustomPlot()
    {
        QStringList wrong;
        for (const QString house : {"core", "widgets", "app"})
            for (const Include& include : includesBelow(house))
                if (include.target == "qcustomplot.h"
                    && !(include.file.startsWith("widgets/plots/") && include.file.endsWith(".cpp")))
                    wrong << include.file;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // So its compilation shows that the header stands alone; the build verifies headers without a source.
    void everySourceIncludesItsOwnHeaderFirst()
    {
        const QDir root{SHARDSCOPE_SOURCE_FOLDER};
        QStringList wrong;
        QString last;
        for (const QString house : {"core", "widgets", "app"}) {
            for (const Include& include : includesBelow(house)) {
                const bool isFirst = include.file != std::exchange(last, include.file);
                const QString own = include.file.chopped(QString{".cpp"}.size()) + ".h";
                if (isFirst && include.file.endsWith(".cpp") && root.exists(own) && include.target != own)
                    wrong << include.file + " includes " + include.target + " before " + own;
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void ourFilesAreIncludedFromTheRoot()
    {
        QStringList wrong;
        for (const QString house : {"core", "widgets", "app"})
            for (const Include& include : includesBelow(house))
                if (include.target.startsWith("..")
                    || QFile::exists(QString{SHARDSCOPE_SOURCE_FOLDER} + '/'
                                     + include.file.section('/', 0, -2) + '/' + include.target))
                    wrong << include.file + " includes " + include.target;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }
};

QTEST_APPLESS_MAIN(TestIncludeDirections)
#include "tst_include_directions.moc"

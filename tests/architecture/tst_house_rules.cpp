#include <QTest>

#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>

// What a newcomer relies on when opening any file.
class TestHouseRules : public QObject
{
    Q_OBJECT
private slots:
    void filesStayReadable()
    {
        QStringList wrong;
        constexpr qsizetype most_lines = 400;
        forEachSource(program + beside_it, [&](const QString& path, const QString& text) {
            const auto lines = text.count('\n');
            if (lines > most_lines)
                wrong << QString{"%1 has %2 lines; does it hold one thing?"}.arg(path).arg(lines);
        });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // A body between braces on lines of their own: a function in a namespace, or in a class of a namespace,
    // as the formatter leaves them.
    void functionsStayReadable()
    {
        constexpr int most_lines = 40;
        QStringList wrong;
        int functions = 0;
        forEachSource(program, [&](const QString& path, const QString& text) {
            const QStringList lines = text.split('\n');
            for (const QString& indent : {QString{}, QString{"    "}}) {
                qsizetype begin = -1;
                for (qsizetype i = 1; i < lines.size(); ++i) {
                    if (lines[i] == indent + "{" && !lines[i - 1].startsWith("namespace"))
                        begin = i;
                    if (begin < 0 || !lines[i].startsWith(indent + '}'))
                        continue;
                    ++functions;
                    if (i - begin - 1 > most_lines && !isType(lines[begin - 1]))
                        wrong
                            << QString{"%1:%2 has %3 lines; does it do one thing?"}.arg(path).arg(begin).arg(
                                   i - begin - 1);
                    begin = -1;
                }
            }
        });
        QVERIFY(functions > 3000);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // printf writes the decimal point of the user's locale, which a window sets; std::to_chars does not
    // (core/base/format.h).
    void numbersAreWrittenWhateverTheLocale()
    {
        static const QRegularExpression print{"printf\\([^;]*%[-+ #0-9.*]*[aefgAEFG]"};
        QStringList wrong;
        forEachSource(program, [&](const QString& path, const QString& text) {
            if (print.match(text).hasMatch())
                wrong << path;
        });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void foldersStaySurveyable()
    {
        QMap<QString, int> files;
        forEachSource(program + beside_it,
                      [&](const QString& path, const QString&) { ++files[path.section('/', 0, -2)]; });
        for (auto folder = files.cbegin(); folder != files.cend(); ++folder)
            QVERIFY2(folder.value() <= 70, qPrintable(QString{"%1 has %2 files; does it hold one thing?"}
                                                          .arg(folder.key())
                                                          .arg(folder.value())));
    }

    void namesSayWhatIsInside()
    {
        static const QRegularExpression vague{"(util|common|manager|helper|misc)",
                                              QRegularExpression::CaseInsensitiveOption};
        QStringList wrong;
        forEachSource(program + beside_it, [&](const QString& path, const QString&) {
            if (vague.match(path).hasMatch())
                wrong << path;
        });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void headersAreGuardedAndInTheNamespace()
    {
        QStringList wrong;
        forEachSource(program, [&](const QString& path, const QString& text) {
            if (path.endsWith(".h") && !text.contains("namespace shardscope"))
                wrong << path;
        });
        forEachSource(program + beside_it, [&](const QString& path, const QString& text) {
            if (path.endsWith(".h") && !text.startsWith("#pragma once"))
                wrong << path;
        });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // Two types of one name in one program break the rule of one definition, and no linker says so.
    void aNameIsThatOfOneType()
    {
        // What stands at the beginning of a line is in the namespace; a declaration has no brace.
        static const QRegularExpression definition{
            "^(?:(?:struct|class|enum class) (\\w+)(?: final)?(?: :[^;{]*)?\\s*\\{|using (\\w+) =)",
            QRegularExpression::MultilineOption};
        QMap<QString, QString> homes;
        QStringList wrong;
        forEachSource(program, [&](const QString& path, const QString& text) {
            if (!path.endsWith(".h"))
                return;
            auto matches = definition.globalMatch(text);
            while (matches.hasNext()) {
                const QRegularExpressionMatch match = matches.next();
                const QString name = match.captured(1) + match.captured(2);
                if (homes.contains(name))
                    wrong << QString{"%1 is defined in %2 and %3"}.arg(name, homes[name], path);
                homes[name] = path;
            }
        });
        QVERIFY(homes.size() > 500);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

private:
    inline static const QStringList program{"app", "core", "widgets"};
    inline static const QStringList beside_it{"bench", "tests"};

    static bool isType(const QString& line)
    {
        static const QRegularExpression type{"^\\s*(class|struct|enum|union) "};
        return type.match(line).hasMatch();
    }

    template<class Visit>
    static void forEachSource(const QStringList& houses, Visit visit)
    {
        const QDir root{SHARDSCOPE_SOURCE_FOLDER};
        int seen = 0;
        for (const QString& house : houses) {
            QDirIterator files{
                root.filePath(house), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories};
            while (files.hasNext()) {
                QFile file{files.next()};
                QVERIFY(file.open(QIODevice::ReadOnly));
                visit(root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()));
                ++seen;
            }
        }
        QVERIFY(seen > 30);
    }
};

QTEST_APPLESS_MAIN(TestHouseRules)
#include "tst_house_rules.moc"

#include <QtTest>

#include <QTemporaryDir>

#include "core/import/importer.h"
#include "tests/core/import/imported_text.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

using namespace shardscope;

namespace
{

constexpr int event_count = 12000; // some 3 MB: several pieces

const QString usual_arguments = R"("Input Dims": [[4096, 1], [1]], "stack": "}, {\"name\": ")";
// Each end in it looks like the end of an event.
const QString list_arguments = R"("parts": [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}, {"a": 5}, {"a": 6}])";

// As PyTorch lays it out. Names are "e0", "e1", ...
QString eventText(int number, const QString& arguments)
{
    return QString(
               "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"e%1\", \"pid\": 1, \"tid\": %2,\n"
               "    \"ts\": %3.125, \"dur\": 0.500,\n    \"args\": {\n      %4\n    }\n  }")
        .arg(number)
        .arg(number % 5)
        .arg(1000 + number)
        .arg(arguments);
}

struct Damage {
    std::vector<int> behind; // events with these numbers
    QString text;            // instead of the comma
};

std::string traceText(const QString& arguments, const Damage& damage, const QString& end)
{
    QString text = "[\n";
    for (int i = 0; i < event_count; ++i) {
        const bool is_damaged = std::ranges::find(damage.behind, i) != damage.behind.end();
        text += eventText(i, arguments) + (i + 1 == event_count ? end : is_damaged ? damage.text : ",\n");
    }
    return text.toStdString();
}

// The numbers of the events, in the order of the file; -1 for one that does not lie where it says.
std::vector<int> numbersOf(const TraceStore& store, const std::string& text)
{
    std::vector<std::pair<std::int64_t, int>> places;
    for (std::uint32_t i = 0; i < store.size(); ++i) {
        const std::int64_t offset = store.sourceOffset(EventIndex{i});
        const std::string name(store.name(EventIndex{i}));
        const bool is_there = text.at(std::size_t(offset)) == '{'
                              && text.find('"' + name + '"', std::size_t(offset)) < std::size_t(offset) + 80;
        places.emplace_back(offset, is_there && name[0] == 'e' ? std::stoi(name.substr(1)) : -1);
    }
    std::ranges::sort(places);
    std::vector<int> numbers;
    for (const auto& [offset, number] : places)
        numbers.push_back(number);
    return numbers;
}

} // namespace

class TestGuessedPieces : public QObject
{
    Q_OBJECT

private slots:
    void damageWithinAPieceCostsNothingElse_data();
    void damageWithinAPieceCostsNothingElse();
    void manyPiecesBehindAWrongGuess();
};

void TestGuessedPieces::damageWithinAPieceCostsNothingElse_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("damage");
    QTest::addColumn<bool>("is_once");
    QTest::addColumn<QString>("end");
    QTest::addColumn<QStringList>("warnings");
    const auto row = [](const char* name, const QString& damage, const QString& warning) {
        QTest::newRow(name) << usual_arguments << damage << false << "\n]" << QStringList{warning + ": 3"};
    };
    QTest::newRow("none") << usual_arguments << ",\n" << false << "\n]" << QStringList{};
    QTest::newRow("arguments that look like events") << list_arguments << ",\n"
                                                     << false << "\n]" << QStringList{};
    row("an event that never closes", ",\n  {\n    \"ph\": \"X\", \"name\": \"x\", \"ts\": 3,\n",
        "event that cannot be read");
    row("text between events", " oops,\n", "text between events");
    row("no comma", "\n", "comma missing between events");
    row("two commas", ",,\n", "comma too many");
    row("an element that is no event", ",\n  [1, 2],\n", "element that is no event");
    row("an event without a phase", ",\n  {\"name\": \"x\", \"ts\": 3},\n", "event without a phase");
    row("a comma too many in an event", ",\n  {\"ph\": \"M\", \"name\": \"x\",},\n", "comma too many");
    row("a control character in a string", ",\n  {\"ph\": \"M\", \"name\": \"x\x01\"},\n",
        "control character in a string");
    row("a bracket too many", "},\n", "text between events");
    QTest::newRow("another document") << usual_arguments << "\n]\n[\n"
                                      << true << "\n]" << QStringList{"several documents in one file: 1"};
    QTest::newRow("a trace within the trace")
        << usual_arguments << ",\n{\"schemaVersion\": 1, \"traceEvents\": [\n"
        << true << "\n]}"
        << QStringList{"a second trace begins within the first: 1", "several documents in one file: 1"};
    QTest::newRow("cut within an event")
        << usual_arguments << ",\n"
        << false << ",\n  {\n    \"ph\": \"X\", \"na" << QStringList{"the file ends within an event: 1"};
}

// Pieces are cut where events seem to end. Whatever stands in them, and however many threads read them, the
// outcome is that of reading the file from its beginning.
void TestGuessedPieces::damageWithinAPieceCostsNothingElse()
{
    QFETCH(QString, arguments);
    QFETCH(QString, damage);
    QFETCH(bool, is_once);
    QFETCH(QString, end);
    const std::vector<int> places = is_once ? std::vector{7000} : std::vector{1500, 7000, 7001};
    const std::string text = traceText(arguments, {places, damage}, end);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("trace.json").toStdString();
    std::ofstream(path, std::ios::binary) << text;
    std::vector<int> all(event_count);
    std::iota(all.begin(), all.end(), 0);
    for (const int threads : {1, 2, 4}) {
        ImportOptions options;
        options.threads = threads;
        const Result<TraceSet> set = importTraces(std::array{path}, options);
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        const TraceFile& file = set.value().files.at(0);
        QVERIFY(numbersOf(*file.store, text) == all);
        QTEST(warningsOf(file), "warnings");
        QCOMPARE(file.bytes_uncompressed, std::int64_t(text.size()));
    }
}

// So many pieces follow one that was guessed wrong that not all of them may wait for it.
void TestGuessedPieces::manyPiecesBehindAWrongGuess()
{
    const QString odd = ",\n  7,\n";
    QString text = "[\n" + eventText(0, usual_arguments) + odd;
    constexpr int count = 50000; // some 13 MB
    for (int i = 1; i < count; ++i)
        text += eventText(i, usual_arguments) + (i + 1 == count ? "\n]" : i == 30000 ? odd : QString(",\n"));
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("trace.json").toStdString();
    std::ofstream(path, std::ios::binary) << text.toStdString();
    for (const int threads : {1, 2, 4}) {
        ImportOptions options;
        options.threads = threads;
        const Result<TraceSet> set = importTraces(std::array{path}, options);
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        QCOMPARE(set.value().files.at(0).slices, std::int64_t{count});
        QCOMPARE(warningsOf(set.value().files.at(0)), QStringList{"text between events: 2"});
    }
}

QTEST_APPLESS_MAIN(TestGuessedPieces)
#include "tst_guessed_pieces.moc"

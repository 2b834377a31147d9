#include <QTest>

#include <QFile>
#include <QRegularExpression>

#include "core/scenario/rank_order.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "core/scenario/words.h"
#include "tests/core/shipped_presets.h"

#include <concepts>
#include <optional>
#include <span>
#include <utility>

using namespace shardscope;

namespace
{

// A key of the format as the program has it.
struct Key {
    QString name;
    QString value;     // by default; empty: a section
    QStringList words; // that it may have
};

// A row of the document.
struct Row {
    QString key;
    QString by_default;
    QString meaning;
};

// A table of the document: of several sections with the same keys it is one.
struct Table {
    QStringList sections; // "model.mla"; "": the file itself
    QList<Row> rows;
};

QString toText(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QStringList toTexts(std::span<const std::string_view> texts)
{
    QStringList all;
    for (const std::string_view text : texts)
        all << toText(text);
    return all;
}

QString pathOf(const QString& section, const QString& key)
{
    return section.isEmpty() ? key : section + '.' + key;
}

using Sections = QList<std::pair<QString, QList<Key>>>;

// A visitor of Fields that lists a section's keys, and behind it the sections within, in the order of the
// file.
class KeyCollector
{
public:
    KeyCollector(QString section, Sections& sections)
        : m_section{std::move(section)}, m_place{sections.size()}, m_sections{sections}
    {
        m_sections.append({m_section, {}});
    }

    template<class T>
    void operator()(std::string_view key, const T& member)
    {
        const QString name = toText(key);
        m_sections[m_place].second << Key{name, valueOf(member), wordsOf(key, member)};
        if constexpr (HasFields<T>)
            collectSection(name, member);
        if constexpr (std::same_as<T, std::vector<ParameterTensor>>)
            collectSection(name, ParameterTensor{});
    }

private:
    template<HasFields T>
    void collectSection(const QString& name, const T& section)
    {
        KeyCollector inner{pathOf(m_section, name), m_sections};
        Fields<T>::visit(inner, section);
    }

    template<class T>
    static QString valueOf(const T& member)
    {
        if constexpr (HasWords<T>)
            return toText(word(member));
        else if constexpr (HasFields<T>)
            return {};
        else if constexpr (std::same_as<T, RankOrder>)
            return toText(rankOrderWord(member, false));
        else if constexpr (std::same_as<T, bool>)
            return member ? "true" : "false";
        else if constexpr (std::same_as<T, std::optional<double>>)
            return member ? QString::number(*member) : "null";
        else if constexpr (std::is_arithmetic_v<T>)
            return QString::number(member);
        else if constexpr (std::same_as<T, std::string>)
            return member.empty() ? "none" : QString::fromStdString(member);
        else // lists
            return member.empty() ? "none" : "some";
    }

    template<class T>
    static QStringList wordsOf(std::string_view key, const T& /*member*/)
    {
        if constexpr (HasWords<T>)
            return toTexts(words<T>());
        else if constexpr (std::same_as<T, RankOrder>)
            return {"tp", "cp", "ep", "dp", "pp"};
        else
            return key == "kind" ? toTexts(link_kinds) : QStringList{};
    }

    QString m_section;
    qsizetype m_place;
    Sections& m_sections;
};

Sections sectionsOf(const Scenario& scenario)
{
    Sections all;
    KeyCollector collector{"", all};
    Fields<Scenario>::visit(collector, scenario);
    return all;
}

const Sections& usual()
{
    static const Sections all = sectionsOf(Scenario{});
    return all;
}

QString document()
{
    QFile file{SHARDSCOPE_SOURCE_FOLDER "/docs/scenario.md"};
    if (!file.open(QIODevice::ReadOnly))
        qFatal("docs/scenario.md is missing");
    return QString::fromUtf8(file.readAll());
}

QString withoutTicks(QString text)
{
    return text.remove('`');
}

// One without names is of the file itself.
QStringList namesIn(const QString& heading)
{
    static const QRegularExpression name{"`([^`]+)`"};
    QStringList names;
    for (auto found = name.globalMatch(heading); found.hasNext();)
        names << found.next().captured(1);
    return names.isEmpty() ? QStringList{""} : names;
}

QList<Table> tablesOf(const QString& text)
{
    QList<Table> tables;
    QString heading;
    bool is_in_table = false;
    for (const QString& line : text.split('\n')) {
        if (line.startsWith('#'))
            heading = line;
        if (line == "| key | default | meaning |")
            tables << Table{namesIn(heading), {}};
        const QStringList cells = line.split('|');
        is_in_table = line == "| key | default | meaning |" || (is_in_table && cells.size() > 1);
        if (is_in_table && !line.startsWith("| ---") && !line.startsWith("| key |"))
            tables.last().rows << Row{withoutTicks(cells.value(1)).trimmed(), cells.value(2).trimmed(),
                                      cells.mid(3).join('|').trimmed()};
    }
    return tables;
}

const QList<Table>& tables()
{
    static const QList<Table> all = tablesOf(document());
    return all;
}

const Table& tableOf(const QString& section)
{
    static const Table nothing;
    const auto found =
        std::ranges::find_if(tables(), [&](const Table& table) { return table.sections.contains(section); });
    return found == tables().end() ? nothing : *found;
}

Row rowOf(const QString& section, const QString& key)
{
    for (const Row& row : tableOf(section).rows)
        if (row.key == key)
            return row;
    return {};
}

// What the row gives as the section's default, where that is a plain value; else nothing. Of sections that
// share a table each has its part: "300 / 25".
std::optional<QString> plainDefault(const QString& section, const QString& key)
{
    const QStringList of_table = tableOf(section).sections;
    QString cell = withoutTicks(rowOf(section, key).by_default);
    const QStringList parts = cell.split(" / ");
    if (of_table.size() > 1 && parts.size() == of_table.size())
        cell = parts[of_table.indexOf(section)];
    return cell.contains(' ') || cell.isEmpty() ? std::nullopt : std::optional{cell};
}

bool isSameValue(const QString& one, const QString& other)
{
    bool is_number = false;
    bool is_other_number = false;
    const double number = one.toDouble(&is_number);
    const double other_number = other.toDouble(&is_other_number);
    return is_number && is_other_number ? number == other_number : one == other;
}

QString shown(const QString& section)
{
    return section.isEmpty() ? "the whole file" : section;
}

Scenario scenarioOf(const QByteArray& json)
{
    const auto reading = readScenario(json.toStdString(), shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

// The first listing of the document in JSON.
QString example()
{
    static const QRegularExpression listing{"```json\n(.*?)```",
                                            QRegularExpression::DotMatchesEverythingOption};
    return listing.match(document()).captured(1);
}

} // namespace

class TestScenarioReference : public QObject
{
    Q_OBJECT
private slots:
    void eachSectionHasItsKeysInTheOrderOfTheFile_data() { addSections(); }
    void eachSectionHasItsKeysInTheOrderOfTheFile()
    {
        QFETCH(QString, section);
        const QList<Row>& rows = tableOf(section).rows;
        const QList<Key> keys = keysOf(section);
        for (qsizetype i = 0; i < std::max(rows.size(), keys.size()); ++i)
            QCOMPARE(rows.value(i).key, keys.value(i).name);
    }

    void eachSectionHasOneTableInTheOrderOfTheFile()
    {
        QStringList documented;
        for (const Table& table : tables())
            documented += table.sections;
        QStringList expected;
        for (const auto& [section, keys] : usual())
            expected << section;
        QCOMPARE(documented, expected);
    }

    void eachRowSaysSomething_data() { addSections(); }
    void eachRowSaysSomething()
    {
        QFETCH(QString, section);
        for (const Row& row : tableOf(section).rows)
            QVERIFY2(!row.by_default.isEmpty() && row.meaning.endsWith('|') && row.meaning.size() > 2,
                     qPrintable(row.key));
    }

    void eachWordStandsInTheRowOfItsKey_data() { addSections(); }
    void eachWordStandsInTheRowOfItsKey()
    {
        QFETCH(QString, section);
        for (const Key& key : keysOf(section))
            for (const QString& allowed : key.words)
                QVERIFY2(rowOf(section, key.name).meaning.contains('`' + allowed + '`'),
                         qPrintable(pathOf(section, key.name) + " does not tell of " + allowed));
    }

    void aPlainDefaultIsTheProgramsOwn_data() { addSections(); }
    void aPlainDefaultIsTheProgramsOwn()
    {
        QFETCH(QString, section);
        for (const Key& key : keysOf(section))
            if (const auto plain = plainDefault(section, key.name))
                QVERIFY2(isSameValue(*plain, key.value),
                         qPrintable(QString{"%1 is %2 by default, not %3"}.arg(pathOf(section, key.name),
                                                                               key.value, *plain)));
    }

    void aDefaultThatFollowsFromOtherKeysIsToldInWords_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("DeepSpeed") << QByteArray{R"({"conventions": {"framework": "deepspeed"}})"};
        QTest::newRow("FSDP") << QByteArray{R"({"conventions": {"framework": "fsdp"}})"};
        QTest::newRow("DDP") << QByteArray{R"({"conventions": {"framework": "ddp"}})"};
        QTest::newRow("distributed optimizer")
            << QByteArray{R"({"parallel": {"zero_stage": 1, "sequence_parallel": true}})"};
        QTest::newRow("ZeRO 1 of DeepSpeed")
            << QByteArray{R"({"parallel": {"zero_stage": 1}, "conventions": {"framework": "deepspeed"}})"};
        QTest::newRow("fp32") << QByteArray{R"({"training": {"precision": "fp32"}})"};
        QTest::newRow("rotary positions") << QByteArray{R"({"model": {"position_embedding": "rope"}})"};
        QTest::newRow("wider") << QByteArray{R"({"model": {"hidden_size": 4096}})"};
        QTest::newRow("wider heads") << QByteArray{R"({"model": {"head_dim": 256}})"};
        QTest::newRow("V-shaped") << QByteArray{R"({"parallel": {"pipeline": 2, "schedule": "zb-v"}})"};
        QTest::newRow("virtual stages")
            << QByteArray{R"({"parallel": {"pipeline": 2, "virtual_stages": 3}})"};
        QTest::newRow("replicas") << QByteArray{R"({"parallel": {"data": 3}})"};
    }
    void aDefaultThatFollowsFromOtherKeysIsToldInWords()
    {
        QFETCH(QByteArray, json);
        const Sections there = sectionsOf(scenarioOf(json));
        for (qsizetype place = 0; place < usual().size(); ++place) {
            const auto& [section, keys] = usual()[place];
            for (qsizetype i = 0; i < keys.size() && !section.startsWith("cluster"); ++i) {
                const bool follows = keys[i].value != there[place].second[i].value
                                     && !json.contains('"' + keys[i].name.toUtf8() + '"');
                QVERIFY2(!follows || !plainDefault(section, keys[i].name),
                         qPrintable(pathOf(section, keys[i].name) + " follows from other keys"));
            }
        }
    }

    void theExampleIsReadWithoutAWarningAndIsValid()
    {
        const auto reading = readScenario(example().toStdString(), shipped());
        QVERIFY2(reading, reading ? "" : reading.error().sentence.c_str());
        QVERIFY(reading.value().warnings.empty());
        QVERIFY(!reading.value().scenario.model.preset.empty());
        QVERIFY(!reading.value().scenario.cluster.preset.empty());
        const std::vector<Problem> problems = validate(reading.value().scenario);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().sentence.c_str());
    }

private:
    static void addSections()
    {
        QTest::addColumn<QString>("section");
        for (const auto& [section, keys] : usual())
            QTest::newRow(qPrintable(shown(section))) << section;
    }

    static QList<Key> keysOf(const QString& section)
    {
        for (const auto& [name, keys] : usual())
            if (name == section)
                return keys;
        return {};
    }
};

QTEST_APPLESS_MAIN(TestScenarioReference)
#include "tst_scenario_reference.moc"

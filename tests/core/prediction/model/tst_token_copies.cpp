#include <QtTest>

#include "core/prediction/model/token_copies.h"

#include <cmath>
#include <set>
#include <vector>

using namespace shardscope;

namespace
{

// Every choice that a token has, by going through all of them: the parts that it goes to, on average.
class AllChoices
{
public:
    AllChoices(const Experts& experts, std::int64_t parts) : m_experts{experts}, m_parts{parts} {}

    double mean()
    {
        chooseGroups(0, {});
        return m_sum / m_choices;
    }

private:
    void chooseGroups(std::int64_t next, const std::vector<std::int64_t>& groups)
    {
        if (std::ssize(groups) == m_experts.groups_per_token) {
            std::vector<std::int64_t> open;
            const std::int64_t each = m_experts.count / m_experts.groups;
            for (const std::int64_t group : groups)
                for (std::int64_t i = 0; i < each; ++i)
                    open.push_back(group * each + i);
            chooseExperts(open, 0, {});
            return;
        }
        for (std::int64_t group = next; group < m_experts.groups; ++group) {
            std::vector<std::int64_t> more = groups;
            more.push_back(group);
            chooseGroups(group + 1, more);
        }
    }

    void chooseExperts(const std::vector<std::int64_t>& open, std::size_t next,
                       const std::vector<std::int64_t>& chosen)
    {
        if (std::ssize(chosen) == m_experts.per_token) {
            std::set<std::int64_t> parts;
            for (const std::int64_t expert : chosen)
                parts.insert(expert / (m_experts.count / m_parts));
            m_sum += static_cast<double>(parts.size());
            m_choices += 1.0;
            return;
        }
        for (std::size_t i = next; i < open.size(); ++i) {
            std::vector<std::int64_t> more = chosen;
            more.push_back(open[i]);
            chooseExperts(open, i + 1, more);
        }
    }

    Experts m_experts;
    std::int64_t m_parts;
    double m_sum = 0.0;
    double m_choices = 0.0;
};

} // namespace

// Over how many ranks and nodes the experts of a token are spread.
class TestTokenCopies : public QObject
{
    Q_OBJECT
private slots:
    void isTheMeanOfAllChoices_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("per_token");
        QTest::addColumn<int>("groups");
        QTest::addColumn<int>("groups_per_token");
        QTest::addColumn<int>("parts");
        QTest::newRow("an expert on each rank") << 8 << 3 << 1 << 1 << 8;
        QTest::newRow("several on each") << 12 << 3 << 1 << 1 << 4;
        QTest::newRow("all on one") << 8 << 3 << 1 << 1 << 1;
        QTest::newRow("ranks within groups") << 16 << 3 << 4 << 2 << 8;
        QTest::newRow("a group on each node") << 16 << 3 << 4 << 2 << 4;
        QTest::newRow("two groups on each node") << 16 << 3 << 4 << 2 << 2;
        QTest::newRow("three groups of six, two on a node") << 12 << 4 << 6 << 3 << 3;
        QTest::newRow("all groups") << 12 << 3 << 3 << 3 << 6;
        QTest::newRow("every expert of the groups") << 12 << 4 << 6 << 2 << 6;
    }
    void isTheMeanOfAllChoices()
    {
        QFETCH(int, count);
        QFETCH(int, per_token);
        QFETCH(int, groups);
        QFETCH(int, groups_per_token);
        QFETCH(int, parts);
        Experts experts;
        experts.count = count;
        experts.per_token = per_token;
        experts.groups = groups;
        experts.groups_per_token = groups_per_token;
        const double expected = AllChoices{experts, parts}.mean();
        QVERIFY2(std::fabs(partsOfToken(experts, parts) - expected) < 1e-9,
                 qPrintable(QString{"%1, counted %2"}.arg(partsOfToken(experts, parts)).arg(expected)));
    }

    void aTokenOfOneChoiceGoesToOnePart()
    {
        Experts experts;
        experts.count = 8;
        experts.per_token = 2;
        const double two = partsOfToken(experts, 8);
        experts.single_choice = 0.25;
        QCOMPARE(two, 2.0);
        QCOMPARE(partsOfToken(experts, 8), 1.75);
        experts.single_choice = 1.0;
        QCOMPARE(partsOfToken(experts, 8), 1.0);
    }

    // DeepSeek-V3: four of eight groups, a node each.
    void limitedRoutingMeetsAtMostItsNodes()
    {
        Experts experts;
        experts.count = 256;
        experts.per_token = 8;
        const double free = partsOfToken(experts, 8);
        experts.groups = 8;
        experts.groups_per_token = 4;
        const double limited = partsOfToken(experts, 8);
        QVERIFY(free > 5.2 && free < 5.3);
        QVERIFY(limited > 3.6 && limited < 3.7);
    }
};

QTEST_APPLESS_MAIN(TestTokenCopies)
#include "tst_token_copies.moc"

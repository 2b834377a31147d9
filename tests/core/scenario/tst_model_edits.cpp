#include <QTest>

#include "core/scenario/model_edits.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>
#include <utility>
#include <vector>

using namespace shardscope;

namespace
{

using Figure = std::pair<QByteArray, int>;
using Figures = QList<Figure>;

std::int64_t& size(Model& model, const QByteArray& key)
{
    if (key == "hidden_size")
        return model.hidden_size;
    if (key == "attention_heads")
        return model.attention_heads;
    if (key == "kv_heads")
        return model.kv_heads;
    if (key == "head_dim")
        return model.head_dim;
    if (key == "ffn_hidden_size")
        return model.ffn_hidden_size;
    if (key == "experts.ffn_hidden_size")
        return model.experts.ffn_hidden_size;
    return model.layers;
}

// A hand that sets one figure after the other.
struct Hand {
    explicit Hand(const Model& begun) : model{begun} { edits.show(begun); }
    Hand& set(const QByteArray& key, int value)
    {
        Model wished = model;
        size(wished, key) = value;
        model = edits.set("model." + key.toStdString(), wished);
        return *this;
    }
    Hand& undoTo(const Model& before)
    {
        edits.show(model = before);
        return *this;
    }

    ModelEdits edits;
    Model model;
};

Model preset(const char* name)
{
    return shipped().model(name)->model;
}

Model readFile(const QByteArray& name, const Figures& figures)
{
    QByteArray keys;
    for (const auto& [key, value] : figures)
        keys += ", \"" + key + "\": " + QByteArray::number(value);
    const auto reading = readScenario(
        "{\"model\": {\"preset\": \"" + name.toStdString() + "\"" + keys.toStdString() + "}}", shipped());
    return reading ? reading.value().scenario.model : Model{};
}

} // namespace

Q_DECLARE_METATYPE(Figures)

class TestModelEdits : public QObject
{
    Q_OBJECT
private slots:
    void whatIsSetMakesTheModelOfAFileInEveryOrder_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<Figures>("figures");
        QTest::addColumn<int>("head_dim");
        QTest::newRow("sizes that do not divide in between")
            << QByteArray{"gpt-3b"} << Figures{{"hidden_size", 8192}, {"attention_heads", 64}} << 128;
        QTest::newRow("with groups") << QByteArray{"gpt-3b"}
                                     << Figures{{"hidden_size", 8192},
                                                {"attention_heads", 64},
                                                {"kv_heads", 8},
                                                {"layers", 48}}
                                     << 128;
        QTest::newRow("with widths of its own") << QByteArray{"gpt-3b"}
                                                << Figures{{"hidden_size", 5120},
                                                           {"attention_heads", 64},
                                                           {"head_dim", 128},
                                                           {"ffn_hidden_size", 25600}}
                                                << 128;
        QTest::newRow("a width that is hidden size / heads in between")
            << QByteArray{"gpt-3b"}
            << Figures{{"head_dim", 200}, {"hidden_size", 8000}, {"attention_heads", 64}} << 200;
        QTest::newRow("groups that do not divide in between")
            << QByteArray{"llama3-70b"}
            << Figures{{"attention_heads", 36}, {"kv_heads", 12}, {"hidden_size", 4608}} << 128;
        QTest::newRow("a preset's own width")
            << QByteArray{"qwen3-30b-a3b"} << Figures{{"hidden_size", 4096}, {"attention_heads", 64}} << 128;
        QTest::newRow("experts as wide as the MLP")
            << QByteArray{"mixtral-8x7b"} << Figures{{"hidden_size", 6144}, {"attention_heads", 48}} << 128;
        QTest::newRow("experts of another width")
            << QByteArray{"mixtral-8x7b"}
            << Figures{{"hidden_size", 6144}, {"ffn_hidden_size", 16384}, {"attention_heads", 48}} << 128;
    }
    void whatIsSetMakesTheModelOfAFileInEveryOrder()
    {
        QFETCH(QByteArray, name);
        QFETCH(Figures, figures);
        QVERIFY(shipped().model(name.toStdString()));
        Model expected = readFile(name, figures);
        QTEST(static_cast<int>(expected.head_dim), "head_dim");
        std::ranges::sort(figures);
        do {
            Hand hand{preset(name)};
            for (const auto& [key, value] : figures)
                hand.set(key, value);
            expected.preset = hand.model.preset;
            QVERIFY(hand.model == expected);
        } while (std::ranges::next_permutation(figures).found);
    }

    void aDragLeavesNothingBehind()
    {
        Hand hand{preset("llama2-7b")};
        const Model begun = hand.model;
        for (const int heads : {1, 6, 48, 7, 32})
            hand.set("attention_heads", heads);
        for (const int hidden : {1, 100, 5120, 3000, 4096})
            hand.set("hidden_size", hidden);
        QVERIFY(hand.model == begun);
    }

    void sizesFollowUntilTheyAreSet()
    {
        Hand hand{preset("gpt-3b")};
        hand.set("hidden_size", 8192);
        QCOMPARE(hand.model.head_dim, 204); // 40 heads do not divide it
        QCOMPARE(hand.model.ffn_hidden_size, 32768);
        hand.set("ffn_hidden_size", 28672).set("head_dim", 100);
        hand.set("hidden_size", 4096).set("attention_heads", 32);
        QCOMPARE(hand.model.head_dim, 100);
        QCOMPARE(hand.model.ffn_hidden_size, 28672);
    }

    void zeroMakesASizeFollowAgain()
    {
        Hand hand{preset("gpt-3b")};
        hand.set("hidden_size", 8192).set("attention_heads", 64);
        hand.set("head_dim", 50).set("ffn_hidden_size", 1000).set("kv_heads", 8);
        hand.set("head_dim", 0).set("ffn_hidden_size", 0).set("kv_heads", 0);
        QCOMPARE(hand.model.head_dim, 128);
        QCOMPARE(hand.model.ffn_hidden_size, 32768);
        QCOMPARE(hand.model.kv_heads, 64);
    }

    void aWidthOfTheModelsOwnStays()
    {
        Model model;
        model.head_dim = 192; // 16 * 192 is not 2048
        QCOMPARE(Hand{model}.set("hidden_size", 4096).model.head_dim, 192);
        QCOMPARE(Hand{model}.set("attention_heads", 32).model.head_dim, 192);
    }

    void aModelSavedWhileItsHeadsDidNotDivideGoesOnFollowing()
    {
        Hand hand{Hand{preset("gpt-3b")}.set("hidden_size", 8192).model};
        QCOMPARE(hand.set("attention_heads", 64).model.head_dim, 128);
    }

    void kvHeadsFollowTheHeads_data()
    {
        QTest::addColumn<int>("kv_before");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kv_afterwards");
        QTest::newRow("each head its own") << 16 << 32 << 32;
        QTest::newRow("groups stay") << 8 << 32 << 8;
        QTest::newRow("groups that no longer divide") << 8 << 12 << 6;
        QTest::newRow("more than there are heads") << 8 << 4 << 4;
    }
    void kvHeadsFollowTheHeads()
    {
        QFETCH(int, kv_before);
        QFETCH(int, heads);
        Model model;
        model.attention_heads = 16;
        model.kv_heads = kv_before;
        Hand opened{model};
        QTEST(static_cast<int>(opened.set("attention_heads", heads).model.kv_heads), "kv_afterwards");
        model.kv_heads = 16;
        Hand typed{model};
        typed.set("kv_heads", kv_before).set("attention_heads", heads);
        QTEST(static_cast<int>(typed.model.kv_heads), "kv_afterwards");
    }

    void feedForwardKeepsItsRatio_data()
    {
        QTest::addColumn<int>("ffn");
        QTest::addColumn<int>("ffn_afterwards");
        QTest::newRow("GPT: exactly four times") << 8192 << 16384;
        QTest::newRow("Llama 2 7B's ratio: in steps of 64") << 5504 << 11008;
        QTest::newRow("Llama 3 8B's ratio") << 7168 << 14336;
    }
    void feedForwardKeepsItsRatio()
    {
        QFETCH(int, ffn);
        Model model;
        model.ffn_hidden_size = ffn;
        QTEST(static_cast<int>(Hand{model}.set("hidden_size", 4096).model.ffn_hidden_size), "ffn_afterwards");
    }

    void undoBringsBackWhatWasSet()
    {
        Hand hand{preset("gpt-3b")};
        const Model begun = hand.model;
        const Model own = hand.set("head_dim", 128).model;
        hand.set("hidden_size", 5120).undoTo(own).set("hidden_size", 8192);
        QCOMPARE(hand.model.head_dim, 128);
        hand.undoTo(own).undoTo(begun).set("hidden_size", 8000);
        QCOMPARE(hand.model.head_dim, 200);
    }

    void anotherModelBeginsAnew()
    {
        Hand hand{preset("gpt-3b")};
        hand.set("head_dim", 50);
        hand.edits.begin(hand.model);
        QCOMPARE(hand.set("hidden_size", 8000).model.head_dim, 200);
    }

    void absurdSizesAreBounded()
    {
        Model model;
        model.ffn_hidden_size = std::int64_t{1} << 52;
        model.hidden_size = 1;
        Hand hand{model};
        Model wished = model;
        wished.hidden_size = std::int64_t{1} << 52;
        QVERIFY(hand.edits.set("model.hidden_size", wished).ffn_hidden_size > 0);
        model.hidden_size = model.attention_heads = 0;
        QCOMPARE(Hand{model}.set("hidden_size", 64).model.hidden_size, 64);
        QCOMPARE(Hand{model}.set("attention_heads", -1).model.attention_heads, -1);
    }
};

QTEST_APPLESS_MAIN(TestModelEdits)
#include "tst_model_edits.moc"

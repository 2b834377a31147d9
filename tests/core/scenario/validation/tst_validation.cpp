#include <QTest>

#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"

#include <limits>

using namespace shardscope;

// The scenario that a few keys make of the default one.
static Scenario with(const QByteArray& json)
{
    const auto reading = readScenario(json.toStdString(), Presets{});
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

class TestValidation : public QObject
{
    Q_OBJECT
private slots:
    void goodScenariosHaveNoProblems_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("default") << QByteArray{"{}"};
        QTest::newRow("Li et al., Table 3")
            << QByteArray{R"({"model": {"layers": 54, "hidden_size": 2000, "attention_heads": 40},
                "training": {"global_batch_size": 1024, "micro_batch_size": 32},
                "parallel": {"pipeline": 4, "tensor": 2, "data": 4}})"};
        QTest::newRow("as many stages as layers") << QByteArray{R"({"parallel": {"pipeline": 24}})"};
        QTest::newRow("two more when both ends count")
            << QByteArray{R"({"parallel": {"pipeline": 26, "stage_balance": "ends_count"}})"};
        QTest::newRow("interleaved") << QByteArray{R"({"parallel": {"pipeline": 4, "virtual_stages": 3}})"};
        QTest::newRow("groups that leave a whole one")
            << QByteArray{R"({"training": {"global_batch_size": 20, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "virtual_stages": 2, "micro_batch_group": 8}})"};
        QTest::newRow("a round of PyTorch")
            << QByteArray{R"({"training": {"global_batch_size": 6, "micro_batch_size": 1},
                "conventions": {"framework": "fsdp"}, "parallel": {"pipeline": 4, "virtual_stages": 2}})"};
        QTest::newRow("whole experts over tensor ranks too, whatever their width") << QByteArray{
            R"({"model": {"experts": {"count": 8, "ffn_hidden_size": 333, "every": 1, "first": 0}},
                "parallel": {"tensor": 2, "data": 2, "expert": 4, "sequence_parallel": true,
                             "expert_tensor_parallel": false}})"};
        QTest::newRow("experts over data and context") << QByteArray{
            R"({"model": {"experts": {"count": 8}}, "parallel": {"data": 2, "context": 2, "expert": 4}})"};
        QTest::newRow("stages by hand")
            << QByteArray{R"({"parallel": {"pipeline": 4, "stage_layers": [5, 7, 7, 5]}})"};
        QTest::newRow("a million tokens") << QByteArray{R"({"model": {"sequence_length": 1048576}})"};
        QTest::newRow("ten trillion parameters")
            << QByteArray{R"({"model": {"hidden_size": 65536, "layers": 200}})"};
        QTest::newRow("more tensor ranks than KV heads")
            << QByteArray{R"({"model": {"kv_heads": 4}, "parallel": {"tensor": 8}})"};
        QTest::newRow("in a V, with the two virtual stages that it has")
            << QByteArray{R"({"parallel": {"pipeline": 4, "schedule": "v-half"}})"};
        QTest::newRow("DualPipe") << QByteArray{R"({"parallel": {"pipeline": 4, "schedule": "dualpipe"}})"};
    }
    void goodScenariosHaveNoProblems()
    {
        QFETCH(QByteArray, json);
        const auto problems = validate(with(json));
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().sentence.c_str());
    }

    void problemsNameTheFieldAndTheWayOut_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const char* json, const char* field, const char* sentence) {
            QTest::newRow(name) << QByteArray{json} << field << sentence;
        };
        row("tensor and heads", R"({"model": {"attention_heads": 16}, "parallel": {"tensor": 3}})",
            "parallel.tensor", "tensor (3) does not divide attention_heads (16); choose 1, 2, 4, 8 or 16");
        row("tensor and KV heads",
            R"({"model": {"attention_heads": 12, "head_dim": 128, "kv_heads": 6}, "parallel": {"tensor": 4}})",
            "parallel.tensor", "tensor (4) does not divide kv_heads (6); choose 1 or 2");
        row("KV heads and heads", R"({"model": {"kv_heads": 5}})", "model.kv_heads",
            "kv_heads (5) does not divide attention_heads (16); choose 1, 2, 4, 8 or 16");
        row("tensor and the MLP", R"({"model": {"ffn_hidden_size": 1001}, "parallel": {"tensor": 2}})",
            "parallel.tensor", "tensor (2) does not divide ffn_hidden_size (1001); choose 1");
        row("batch", R"({"training": {"global_batch_size": 512}, "parallel": {"data": 3}})",
            "training.global_batch_size",
            "micro_batch_size * data (4 * 3 = 12) does not divide global_batch_size (512); choose a "
            "global_batch_size of 504 or 516, or parallel.data of 2 or 4");
        row("batch that many replicas are too many for",
            R"({"training": {"global_batch_size": 512}, "parallel": {"data": 1024}})",
            "training.global_batch_size",
            "(4 * 1024 = 4096) does not divide global_batch_size (512); choose a global_batch_size of 4096, "
            "or "
            "parallel.data of 64 or 128");
        row("batch that no number of replicas can share",
            R"({"training": {"global_batch_size": 510}, "parallel": {"data": 2}})",
            "training.global_batch_size",
            "does not divide global_batch_size (510); choose a global_batch_size of 504 or 512");
        row("batch of replicas that share experts",
            R"({"model": {"experts": {"count": 8}}, "training": {"global_batch_size": 512},
                "parallel": {"data": 12, "expert": 4}})",
            "training.global_batch_size", "parallel.data of 8 or 16");
        row("batch that is too small", R"({"training": {"global_batch_size": 8}, "parallel": {"data": 4}})",
            "training.global_batch_size",
            "micro_batch_size * data (4 * 4 = 16) does not divide global_batch_size (8); choose a "
            "global_batch_size of 16, or parallel.data of 1 or 2");
        row("batch of an interleaved pipeline",
            R"({"training": {"global_batch_size": 50, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "virtual_stages": 2, "data": 8}})",
            "training.global_batch_size",
            "does not divide global_batch_size (50); choose a global_batch_size of 32 or 64");
        row("small batch of an interleaved pipeline",
            R"({"training": {"global_batch_size": 20, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "virtual_stages": 2, "data": 8}})",
            "training.global_batch_size",
            "does not divide global_batch_size (20); choose a global_batch_size of 32, or parallel.data of 1 "
            "or "
            "5");
        row("batch of DualPipe",
            R"({"training": {"global_batch_size": 81, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "schedule": "dualpipe", "data": 2}})",
            "training.global_batch_size",
            "does not divide global_batch_size (81); choose a global_batch_size of 80 or 84");
        row("DualPipe with too few micro-batches",
            R"({"training": {"global_batch_size": 12, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "schedule": "dualpipe", "data": 2}})",
            "training.global_batch_size", "not 6; choose a global_batch_size of 16, or another schedule");
        row("stages", R"({"parallel": {"pipeline": 25}})", "parallel.pipeline",
            "pipeline (25) is more than the 24 layers to share out; choose at most 24 stages");
        row("virtual stages", R"({"parallel": {"pipeline": 8, "virtual_stages": 4}})",
            "parallel.virtual_stages",
            "pipeline * virtual_stages (32) is more than the 24 layers to share out; choose at most 3 "
            "virtual stages");
        row("both ends", R"({"parallel": {"pipeline": 27, "stage_balance": "ends_count"}})",
            "parallel.pipeline",
            "pipeline (27) is more than the 26 layers with both ends to share out; choose at most 26 stages");
        row("more virtual stages than layers", R"({"model": {"layers": 1},
                "parallel": {"pipeline": 10, "virtual_stages": 2}})",
            "parallel.pipeline",
            "pipeline * virtual_stages (20) is more than the 1 layer to share out; choose fewer of both, or "
            "at "
            "least 19 more layers");
        row("one stage", R"({"model": {"layers": 3}, "parallel": {"pipeline": 4, "virtual_stages": 2}})",
            "parallel.pipeline", "choose at most 1 stage");
        row("no head of keys", R"({"model": {"attention_heads": 40, "hidden_size": 1280, "kv_heads": 0}})",
            "model.kv_heads", "kv_heads is 0; choose 1 to 40");
        row("a tensor of less than nothing",
            R"({"model": {"kind": "parameter_list",
                "tensors": [{"name": "a", "parameters": 7}, {"name": "b", "parameters": -5}]}})",
            "model.tensors", "tensors[1].parameters is -5; choose 1 to ");
        row("experts and ranks",
            R"({"model": {"experts": {"count": 8}}, "parallel": {"data": 6, "expert": 4}})",
            "parallel.expert", "expert (4) does not divide data (6); choose 1 or 2");
        row("whole experts and ranks",
            R"({"model": {"experts": {"count": 12}},
                "parallel": {"data": 2, "tensor": 4, "expert": 3, "sequence_parallel": true,
                             "expert_tensor_parallel": false}})",
            "parallel.expert", "expert (3) does not divide data * tensor (8); choose 1, 2 or 4");
        row("whole experts of the same tokens",
            R"({"model": {"experts": {"count": 8}},
                "parallel": {"data": 2, "tensor": 4, "expert_tensor_parallel": false}})",
            "parallel.expert_tensor_parallel",
            "expert_tensor_parallel false needs tensor ranks with tokens of their own; set");
        row("a V of a list",
            R"({"model": {"kind": "parameter_list", "tensors": [{"name": "a", "parameters": 7}]},
                                 "parallel": {"schedule": "v-half", "virtual_stages": 1}})",
            "parallel.schedule", "schedule v-half needs stages, which a parameter_list has not; choose 1f1b");
        row("windows of BERT", R"({"model": {"output_head": "bert", "sliding_window": 128}})",
            "model.sliding_window", "sliding_window (128) is predicted for causal attention alone; set 0");
        row("experts and experts",
            R"({"model": {"experts": {"count": 6}}, "parallel": {"data": 4, "expert": 4}})",
            "parallel.expert", "expert (4) does not divide experts.count (6); choose 1 or 2");
        row("experts in a dense model", R"({"parallel": {"data": 4, "expert": 4}})", "parallel.expert",
            "expert (4) needs a mixture of experts; set experts.count, or expert to 1");
        row("more than there are", R"({"model": {"experts": {"count": 4, "per_token": 8}}})",
            "model.experts.per_token",
            "experts.per_token (8) is more than experts.count (4); choose at most that");
        row("groups and experts", R"({"model": {"experts": {"count": 8, "groups": 3}}})",
            "model.experts.groups", "groups (3) does not divide experts.count (8); choose 1, 2, 4 or 8");
        row("more groups than there are",
            R"({"model": {"experts": {"count": 8, "groups": 4, "groups_per_token": 5}}})",
            "model.experts.groups_per_token",
            "groups_per_token (5) is more than experts.groups (4); choose at most that");
        row("groups that are too few",
            R"({"model": {"experts": {"count": 8, "per_token": 3, "groups": 4, "groups_per_token": 1}}})",
            "model.experts.groups_per_token",
            "groups_per_token (1) groups hold 2 experts, a token needs per_token (3) of them; choose more");
        row("a capacity of DeepEP",
            R"({"model": {"experts": {"count": 8, "capacity_factor": 1.5}},
                "conventions": {"token_dispatcher": "deepep"}})",
            "conventions.token_dispatcher", "set experts.capacity_factor to 0, or token_dispatcher to");
        row("sequence and context", R"({"model": {"sequence_length": 1000}, "parallel": {"context": 3}})",
            "parallel.context", "context (3) does not divide sequence_length (1000); choose 1, 2, 4, 5, 8");
        row("sequence parallelism",
            R"({"model": {"sequence_length": 1001}, "parallel": {"tensor": 2, "sequence_parallel": true}})",
            "parallel.sequence_parallel", "choose a sequence_length that is a multiple of 2");
        row("Ulysses", R"({"parallel": {"tensor": 4, "context": 8, "context_method": "ulysses"}})",
            "parallel.context", "context (8) does not divide attention_heads / tensor (4); choose 1, 2 or 4");
        row("interleaved without stages", R"({"parallel": {"virtual_stages": 2}})", "parallel.schedule",
            "schedule interleaved needs at least 2 pipeline stages");
        row("interleaved without virtual stages",
            R"({"parallel": {"pipeline": 2, "schedule": "interleaved"}})", "parallel.virtual_stages",
            "needs at least 2 virtual_stages");
        row("a group that does not fill the stages",
            R"({"training": {"global_batch_size": 16, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "virtual_stages": 2, "micro_batch_group": 3}})",
            "parallel.micro_batch_group", "micro_batch_group has to lie between pipeline (4)");
        row("a last group that does not fill them",
            R"({"training": {"global_batch_size": 18, "micro_batch_size": 1},
                "parallel": {"pipeline": 4, "virtual_stages": 2, "micro_batch_group": 8}})",
            "parallel.micro_batch_group", "the last group to be whole or no smaller than pipeline");
        row("rounds of PyTorch that are not alike",
            R"({"training": {"global_batch_size": 17, "micro_batch_size": 1}, "conventions": {"framework": "fsdp"},
                "parallel": {"pipeline": 4, "virtual_stages": 2}})",
            "training.global_batch_size",
            "rounds of at least pipeline (4), all as large, which 17 do not fill; choose a global_batch_size "
            "of 16 or 20");
        row("interleaved with a rest",
            R"({"training": {"global_batch_size": 20}, "parallel": {"pipeline": 4, "virtual_stages": 2}})",
            "training.global_batch_size",
            "needs a multiple of pipeline (4) micro-batches, not 5; choose a global_batch_size of 16 or 32, "
            "or 1f1b");
        row("more passes than can be followed",
            R"({"training": {"global_batch_size": 65536, "micro_batch_size": 1}, "parallel": {"pipeline": 24}})",
            "training.global_batch_size",
            "65 536 micro-batches through 24 stages are more passes than can be followed (1 048 576)");
        row("more passes of a list of parameters",
            R"({"model": {"kind": "parameter_list", "tensors": [{"name": "a", "parameters": 7}]},
                "training": {"global_batch_size": 4194304, "micro_batch_size": 1}})",
            "training.global_batch_size",
            "make global_batch_size smaller, or micro_batch_size or data larger");
        row("virtual stages in 1F1B",
            R"({"parallel": {"pipeline": 2, "virtual_stages": 2, "schedule": "1f1b"}})",
            "parallel.virtual_stages", "virtual_stages (2) needs schedule interleaved; choose that, or 1");
        row("a V of one stage", R"({"parallel": {"schedule": "zb-v"}})", "parallel.schedule",
            "schedule zb-v needs at least 2 pipeline stages; choose 1f1b, or raise pipeline");
        row("a V of three virtual stages",
            R"({"parallel": {"pipeline": 2, "schedule": "v-min", "virtual_stages": 3}})",
            "parallel.virtual_stages",
            "schedule v-min has 2 virtual_stages on each stage, not 3; set 2, or choose interleaved");
        row("DualPipe with odd stages", R"({"parallel": {"pipeline": 3, "schedule": "dualpipe"}})",
            "parallel.pipeline", "choose 4, or another schedule");
        row("stages by hand, wrong number", R"({"parallel": {"pipeline": 2, "stage_layers": [24]}})",
            "parallel.stage_layers", "has 1 numbers; give pipeline * virtual_stages = 2");
        row("stages by hand, wrong sum", R"({"parallel": {"pipeline": 2, "stage_layers": [12, 13]}})",
            "parallel.stage_layers", "adds up to 25; the model has 24 layers");
        row("no layers", R"({"model": {"layers": 0}})", "model.layers", "layers is 0; choose 1 to 10 000");
        row("negative", R"({"parallel": {"data": -4}})", "parallel.data",
            "data is -4; choose 1 to 16 777 216");
        row("absurd", R"({"model": {"layers": 9223372036854775807}})", "model.layers", "choose 1 to 10 000");
        row("too many GPUs", R"({"model": {"layers": 4096}, "parallel": {"pipeline": 4096, "data": 8192}})",
            "parallel.data", "more than 16 777 216 GPUs");
        row("too many parameters",
            R"({"model": {"hidden_size": 1048576, "layers": 10000, "vocab_size": 268435456}})",
            "model.hidden_size", "more than can be counted");
        row("too many micro-batches",
            R"({"model": {"layers": 80, "hidden_size": 8192}, "training": {"global_batch_size": 100000000, "micro_batch_size": 1}})",
            "training.global_batch_size", "about 100 M micro-batches, more than can be counted");
        row("too many bytes",
            R"({"model": {"sequence_length": 134217728}, "training": {"global_batch_size": 1073741824, "micro_batch_size": 1048576}})",
            "model.sequence_length", "more bytes than can be counted");
        row("ZeRO 4", R"({"parallel": {"zero_stage": 4}})", "parallel.zero_stage",
            "zero_stage is 4; choose 0 to 3");
        row("gradients of three bytes", R"({"training": {"gradient_bytes": 3}})", "training.gradient_bytes",
            "must be 2");
        row("a copy of one byte", R"({"training": {"master_bytes": 1}})", "training.master_bytes",
            "master_bytes (1) must be 0 (no copy of the weights), 2 (16 bits) or 4 (fp32)");
        row("no first moment", R"({"training": {"exp_avg_bytes": 0}})", "training.exp_avg_bytes",
            "must be 1 (8 bits), 2 (16 bits) or 4 (fp32)");
        row("a second moment of eight bytes", R"({"training": {"exp_avg_sq_bytes": 8}})",
            "training.exp_avg_sq_bytes", "must be 1 (8 bits), 2 (16 bits) or 4 (fp32)");
        row("link without speed", R"({"cluster": {"inter_node": {"bandwidth_GBps": 0}}})",
            "cluster.inter_node.bandwidth_GBps", "inter_node.bandwidth_GBps is 0; choose");
        row("NICs within a node", R"({"cluster": {"intra_node": {"bandwidth_of": "nic"}}})",
            "cluster.intra_node.bandwidth_of", "no NIC joins the GPUs of a node; choose gpu or node");
        row("the rate of NICs that nobody counted",
            R"({"cluster": {"nics_per_node": 0, "inter_node": {"bandwidth_of": "nic"}}})",
            "cluster.nics_per_node", "say how many NICs a node has, or choose gpu or node");
        row("faster than its peak", R"({"cluster": {"mu": 1.5}})", "cluster.mu",
            "mu is 1.5; choose 1e-06 to 1");
        row("parameter list without tensors", R"({"model": {"kind": "parameter_list"}})", "model.tensors",
            "needs its tensors");
        row("parameter list in a pipeline",
            R"({"model": {"kind": "parameter_list", "tensors": [{"name": "w", "parameters": 4}]},
                "parallel": {"pipeline": 2}})",
            "parallel.pipeline", "only in data parallelism; choose 1");
    }
    void problemsNameTheFieldAndTheWayOut()
    {
        QFETCH(QByteArray, json);
        const auto problems = validate(with(json));
        QVERIFY(!problems.empty());
        QTEST(QString::fromStdString(problems.front().field), "field");
        QFETCH(QString, sentence);
        QVERIFY2(QString::fromStdString(problems.front().sentence).contains(sentence),
                 problems.front().sentence.c_str());
    }

    // The batch that the file leaves out would be four of each replica.
    void whatFollowsFromAFigureOutOfItsRangeIsNoProblem_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QStringList>("fields");
        QTest::newRow("replicas") << QByteArray{R"({"parallel": {"data": 1e9}})"}
                                  << QStringList{"parallel.data"};
        QTest::newRow("replicas with buckets of their number")
            << QByteArray{R"({"parallel": {"data": 1e9, "zero_stage": 1}})"} << QStringList{"parallel.data"};
        QTest::newRow("sequences of a micro-batch")
            << QByteArray{R"({"training": {"micro_batch_size": 1e10}})"}
            << QStringList{"training.micro_batch_size"};
        QTest::newRow("the batch itself") << QByteArray{R"({"training": {"global_batch_size": 4e9}})"}
                                          << QStringList{"training.global_batch_size"};
    }
    void whatFollowsFromAFigureOutOfItsRangeIsNoProblem()
    {
        QFETCH(QByteArray, json);
        QStringList fields;
        for (const Problem& problem : validate(with(json)))
            fields << QString::fromStdString(problem.field);
        QTEST(fields, "fields");
    }

    void numbersThatAreNoneAreProblems()
    {
        for (const double number :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
              -std::numeric_limits<double>::infinity(), -1.0}) {
            Scenario scenario;
            scenario.cluster.mu = number;
            scenario.cluster.peak_tflops = number;
            scenario.cluster.intra_node.latency_us = number;
            scenario.cluster.effective.dp_GBps = number;
            scenario.model.experts.skew = number;
            QCOMPARE(validate(scenario).size(), std::size_t{5});
        }
    }

    void extremesNeverOverflow()
    {
        for (const std::int64_t size : {std::numeric_limits<std::int64_t>::max(),
                                        std::numeric_limits<std::int64_t>::min(), std::int64_t{0}}) {
            Scenario scenario;
            Model& model = scenario.model;
            model.layers = model.hidden_size = model.attention_heads = model.kv_heads = model.head_dim = size;
            model.vocab_size = model.vocab_padding = model.sequence_length = model.ffn_hidden_size = size;
            scenario.training.global_batch_size = scenario.training.micro_batch_size = size;
            Parallel& parallel = scenario.parallel;
            parallel.pipeline = parallel.tensor = parallel.data = parallel.context = parallel.expert = size;
            QVERIFY(validate(scenario).size() >= 10);
        }
    }
};

QTEST_APPLESS_MAIN(TestValidation)
#include "tst_validation.moc"

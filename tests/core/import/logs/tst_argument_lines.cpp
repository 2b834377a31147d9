#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <algorithm>
#include <filesystem>
#include <string>

using namespace shardscope;

namespace
{

const std::filesystem::path traces = std::filesystem::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

const QString begin = QStringLiteral("------------------------ arguments ------------------------\n");
const QString end = QStringLiteral("-------------------- end of arguments ---------------------\n");
const QString place = QStringLiteral(" > number of parameters on (tensor, pipeline) model parallel rank ");

// "hidden_size=6144"
QStringList argumentsOf(const TraceFile& file)
{
    QStringList rows;
    for (const RunArgument& argument : file.arguments)
        rows << QString::fromStdString(argument.name + '=' + argument.value);
    return rows;
}

// "stage 1, tensor rank 0: 1132938240"
QStringList parametersOf(const TraceFile& file)
{
    QStringList rows;
    for (const PlaceParameters& told : file.parameters)
        rows << QStringLiteral("stage %1, tensor rank %2: %3")
                    .arg(told.stage)
                    .arg(told.tensor_rank)
                    .arg(told.parameters);
    return rows;
}

} // namespace

class TestArgumentLines : public QObject
{
    Q_OBJECT
private slots:
    void aTableTellsTheRunsArguments_data()
    {
        QTest::addColumn<QString>("table");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("dots fill the column")
            << begin + "  adam_eps ........ 1e-08\n  bert_load ....... None\n  lr . 0.1\n" + end
            << QStringList{"adam_eps=1e-08", "bert_load=None", "lr=0.1"};
        QTest::newRow("a name as long as the column has none")
            << begin + "  apply_residual_connection_post_layernorm  False\r\n" + end
            << QStringList{"apply_residual_connection_post_layernorm=False"};
        QTest::newRow("a list of words has no quotes")
            << begin + "  cp_comm_type .... ['p2p', 'a2a']\n" + end << QStringList{"cp_comm_type=[p2p, a2a]"};
        QTest::newRow("behind a host's name")
            << "vm-07-05: " + begin + "vm-07-05:   hidden_size .... 4096\nvm-07-05: " + end
            << QStringList{"hidden_size=4096"};
        QTest::newRow("behind torchrun's prefix")
            << "[default7]:" + begin + "[default7]:  hidden_size .... 4096\n[default7]:" + end
            << QStringList{"hidden_size=4096"};
        QTest::newRow("behind a rank")
            << "15: " + begin + "15:   hidden_size .... 4096\n15: " + end << QStringList{"hidden_size=4096"};
        QTest::newRow("lists and names with digits and capitals stay")
            << begin
                   + "  DDP_impl ....... local\n  fp8_e4m3 ....... False\n  num_experts .... [1, 2, 4]\n"
                     "  topk ........... []\n  split .......... 949, 50, 1\n"
                   + end
            << QStringList{"DDP_impl=local", "fp8_e4m3=False", "num_experts=[1, 2, 4]", "topk=[]",
                           "split=949, 50, 1"};
        QTest::newRow("modules of a pattern of layers stand behind slashes")
            << begin + "  hybrid_layer_pattern ... M-M*-|ME/*E/*E\n  hybrid_override_pattern ... ./M\n" + end
            << QStringList{"hybrid_layer_pattern=M-M*-|ME/*E/*E"};
        QTest::newRow("lines of others between are passed over")
            << begin
                   + "  lr ............. 0.1\nusing torch.float16 for parameters ...\n"
                     "host-2: async_io ............... [NO] ....... [OKAY]\n  \n  2fast .......... 3\n"
                     "  forward-backward ....: (1.0, 2.0)\n  two words ...... 3\n  short  False\n"
                     "  save ...........\n  seed ........... 1234\n"
                   + end
            << QStringList{"lr=0.1", "seed=1234"};
        QTest::newRow("what stands behind the end is none of it")
            << begin + "  lr ............. 0.1\n" + end + "  seed ........... 1234\n"
            << QStringList{"lr=0.1"};
        QTest::newRow("a table that is cut counts as far as it goes")
            << begin + "  lr ............. 0.1\n  see" << QStringList{"lr=0.1"};
        QTest::newRow("a name that comes twice has its last value")
            << begin + "  lr .... 0.1\n  seed .. 1\n  lr .... 0.2\n" + end << QStringList{"lr=0.2", "seed=1"};
    }
    void aTableTellsTheRunsArguments()
    {
        QFETCH(QString, table);
        QFETCH(QStringList, arguments);
        const Result<TraceSet> set = importText(table.toStdString());
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        const TraceFile& log = onlyFile(set);
        QCOMPARE(log.format, std::string("megatron_log"));
        QCOMPARE(log.status, FileStatus::ok);
        QCOMPARE(argumentsOf(log), arguments);
        QVERIFY(log.notes.empty());
    }

    void pathsAndFreeTextAreNotKept_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("is_kept");
        QTest::newRow("a path") << "/home/me/checkpoints" << false;
        QTest::newRow("paths in a list") << "['/home/me/text_document']" << false;
        QTest::newRow("quoted") << "\"my run\"" << false;
        QTest::newRow("what steers a terminal") << "\x1b[93m[NO]" << false;
        QTest::newRow("very long") << QString(4001, u'x') << false;
        QTest::newRow("long") << QString(4000, u'x') << true;
        QTest::newRow("a word") << "torch.float16" << true;
    }
    void pathsAndFreeTextAreNotKept()
    {
        QFETCH(QString, value);
        QFETCH(bool, is_kept);
        const QString table = begin + "  lr .... 0.1\n  load .. " + value + '\n' + end;
        const Result<TraceSet> set = importText(table.toStdString());
        QVERIFY(set);
        QCOMPARE(argumentsOf(onlyFile(set)),
                 is_kept ? (QStringList{"lr=0.1", "load=" + value}) : QStringList{"lr=0.1"});
    }

    void noLogHasMoreArgumentsThanAnyRun()
    {
        QString table = begin;
        for (int i = 0; i < 5000; ++i)
            table += QStringLiteral("  argument_%1 ... %1\n").arg(i);
        const Result<TraceSet> set = importText((table + end).toStdString());
        QVERIFY(set);
        QCOMPARE(onlyFile(set).arguments.size(), std::size_t{4096});
    }

    void theLastTableCounts_data()
    {
        QTest::addColumn<QString>("log");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QStringList>("parameters");
        QTest::addColumn<QString>("note");
        const QString first = begin + "  lr .... 0.1\n  seed .. 1\n" + end
                              + " > padded vocab (size: 5) with 3 dummy tokens (new size: 8)\n" + place
                              + "(1, 0): 16\n";
        const QString other = begin + "  lr .... 0.2\n" + end + place + "(0, 0): 32\n";
        const QString told =
            QStringLiteral("the log has %1 tables of arguments, as of a run that was started again; "
                           "the last counts");
        QTest::newRow("another run's") << first + other << QStringList{"lr=0.2"}
                                       << QStringList{"stage 0, tensor rank 0: 32"} << told.arg(2);
        QTest::newRow("the same again, which died sooner")
            << first + begin + "  lr .... 0.1\n  seed .. 1\n" + end << QStringList{"lr=0.1", "seed=1"}
            << QStringList{} << QString{};
        QTest::newRow("one of three differs")
            << other + first + first
            << QStringList{"lr=0.1", "seed=1", "tokenizer_vocab_size=5", "padded_vocab_size=8"}
            << QStringList{"stage 0, tensor rank 1: 16"} << told.arg(3);
        QTest::newRow("one without a single argument replaces nothing")
            << other + begin + end << QStringList{"lr=0.2"} << QStringList{"stage 0, tensor rank 0: 32"}
            << QString{};
        QTest::newRow("what stands before the first is of a run whose table is not here")
            << place + "(1, 0): 16\n" + other << QStringList{"lr=0.2"}
            << QStringList{"stage 0, tensor rank 0: 32"} << QString{};
    }
    void theLastTableCounts()
    {
        QFETCH(QString, log);
        QFETCH(QStringList, arguments);
        QFETCH(QStringList, parameters);
        QFETCH(QString, note);
        const Result<TraceSet> set = importText(log.toStdString());
        QVERIFY(set);
        QCOMPARE(argumentsOf(onlyFile(set)), arguments);
        QCOMPARE(parametersOf(onlyFile(set)), parameters);
        QStringList notes;
        for (const std::string& each : onlyFile(set).notes)
            notes << QString::fromStdString(each);
        QCOMPARE(notes, note.isEmpty() ? QStringList{} : QStringList{note});
    }

    void deepSpeedsSettingsHaveItsName_data()
    {
        QTest::addColumn<QString>("row");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("a number") << "zero_optimization_stage ...... 3"
                                  << QStringList{"deepspeed.zero_optimization_stage=3"};
        QTest::newRow("a long name") << "train_micro_batch_size_per_gpu  2"
                                     << QStringList{"deepspeed.train_micro_batch_size_per_gpu=2"};
        QTest::newRow("words") << "zero_config .................. stage=1 reduce_scatter=True"
                               << QStringList{"deepspeed.zero_config=stage=1 reduce_scatter=True"};
        QTest::newRow("one of several lines") << "activation_checkpointing_config  {" << QStringList{};
        QTest::newRow("a table") << "aio_config ................... {block_size: 1}" << QStringList{};
        QTest::newRow("an object") << "comms_config ................. <a.B object at 0x7f>" << QStringList{};
        QTest::newRow("a path") << "dump .................. ./out" << QStringList{};
    }
    void deepSpeedsSettingsHaveItsName()
    {
        QFETCH(QString, row);
        QFETCH(QStringList, arguments);
        const QString log = " iteration 1/ 9 | elapsed time per iteration (ms): 2152.2 | lr: 1\n"
                            "[2021-05-27 21:32:10,180] [INFO] [config.py:900:print] DeepSpeedEngine "
                            "configuration:\nvm-1: [2021-05-27 21:32:10,180] [INFO] [config.py:904:print]   "
                            + row + '\n';
        const Result<TraceSet> set = importText(log.toStdString());
        QVERIFY(set);
        QCOMPARE(argumentsOf(onlyFile(set)), arguments);
    }

    void deepSpeedsSettingsAloneAreNoTrace()
    {
        const Result<TraceSet> set =
            importText("[INFO] [config.py:904:print]   zero_optimization_stage ...... 3\n");
        QVERIFY(!set);
        QVERIFY(QString::fromStdString(set.error().sentence).contains("no table of arguments of Megatron"));
    }

    void theVocabularyIsThatOfTheModel_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("padded");
        QTest::newRow("padded") << " > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)"
                                << "50688";
        QTest::newRow("behind a launcher")
            << "vm-1:  > padded vocab (size: 50257) with 0 dummy tokens (new size: 50257)"
            << "50257";
        QTest::newRow("no number") << " > padded vocab (size: all) with 431 dummy tokens (new size: 50688)"
                                   << "None";
        QTest::newRow("nothing") << " > padded vocab (size: 0) with 0 dummy tokens (new size: 0)"
                                 << "None";
        QTest::newRow("less than before") << " > padded vocab (size: 8) with 0 dummy tokens (new size: 7)"
                                          << "None";
        QTest::newRow("cut") << " > padded vocab (size: 50257) with 431 dummy"
                             << "None";
    }
    void theVocabularyIsThatOfTheModel()
    {
        QFETCH(QString, line);
        QFETCH(QString, padded);
        const QString log =
            begin + "  padded_vocab_size ...... None\n  seed ................... 1\n" + end + line + '\n';
        const Result<TraceSet> set = importText(log.toStdString());
        QVERIFY(set);
        QStringList arguments{"padded_vocab_size=" + padded, "seed=1"};
        if (padded != "None")
            arguments << "tokenizer_vocab_size=50257";
        QCOMPARE(argumentsOf(onlyFile(set)), arguments);
    }

    void placesTellHowManyParametersTheyHold_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QStringList>("parameters");
        QTest::newRow("by stage, then tensor rank")
            << place + "(1, 1): 40\n" + place + "(0, 1): 30\nhost-2: " + place + "(1, 0): 20\n" + place
                   + "(0, 0): 6650208256\n"
            << QStringList{"stage 0, tensor rank 0: 6650208256", "stage 0, tensor rank 1: 20",
                           "stage 1, tensor rank 0: 30", "stage 1, tensor rank 1: 40"};
        QTest::newRow("several in one line")
            << place + "(0, 1): 30" + place + "(0, 0): 10[Rank 3] " + place + "(1, 0)" + place
                   + "(1, 1): 40\n"
            << QStringList{"stage 0, tensor rank 0: 10", "stage 1, tensor rank 0: 30",
                           "stage 1, tensor rank 1: 40"};
        QTest::newRow("the last of a place") << place + "(0, 0): 10\n" + place + "(0, 0): 11\n"
                                             << QStringList{"stage 0, tensor rank 0: 11"};
    }
    void placesTellHowManyParametersTheyHold()
    {
        QFETCH(QString, lines);
        QFETCH(QStringList, parameters);
        const Result<TraceSet> set = importText(lines.toStdString());
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        QCOMPARE(onlyFile(set).format, std::string("megatron_log"));
        QCOMPARE(parametersOf(onlyFile(set)), parameters);
    }

    void whatIsNoCountOfParametersIsPassedOver_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("rounded, as it was once told")
            << " > number of parameters on model parallel rank 2            52.005 Billion";
        QTest::newRow("rounded") << place + "(0, 0): 1.13 Billion";
        QTest::newRow("no rank") << place + "(all, 0): 10";
        QTest::newRow("one rank") << place + "(0): 10";
        QTest::newRow("less than the first rank") << place + "(0, -1): 10";
        QTest::newRow("a rank beyond any cluster") << place + "(16777216, 0): 10";
        QTest::newRow("no parameters") << place + "(0, 0): 0";
        QTest::newRow("less than none") << place + "(0, 0): -10";
        QTest::newRow("more than can be counted") << place + "(0, 0): 99999999999999999999";
        QTest::newRow("cut") << place + "(0, 0): ";
    }
    void whatIsNoCountOfParametersIsPassedOver()
    {
        QFETCH(QString, line);
        QVERIFY(!importText(line.toStdString() + '\n'));
    }

    void theRunsRanksAreCountedByTheTableWhereNothingElseDoes_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("world_size");
        QTest::addColumn<qint64>("ranks");
        QTest::newRow("by the table") << ""
                                      << "16" << qint64{16};
        QTest::newRow("by the line before it") << "using world size: 8, data-parallel-size: 1\n"
                                               << "16" << qint64{8};
        QTest::newRow("the old line") << "using world size: 64 and model-parallel size: 4 \n"
                                      << "64" << qint64{64};
        QTest::newRow("none") << ""
                              << "None" << qint64{0};
        QTest::newRow("no rank") << ""
                                 << "0" << qint64{0};
        QTest::newRow("beyond any cluster") << ""
                                            << "99999999999" << qint64{0};
    }
    void theRunsRanksAreCountedByTheTableWhereNothingElseDoes()
    {
        QFETCH(QString, before);
        QFETCH(QString, world_size);
        QFETCH(qint64, ranks);
        const QString log = before + begin + "  world_size ..... " + world_size + '\n' + end;
        const Result<TraceSet> set = importText(log.toStdString());
        QVERIFY(set);
        QCOMPARE(qint64{onlyFile(set).world_size}, ranks);
        QVERIFY(onlyFile(set).warnings.empty());
    }

    void sharedLogsTellWhatTheirTablesSay_data()
    {
        if (!std::filesystem::exists(traces))
            QSKIP("the folder ../shared with recorded traces is not here");
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("arguments");
        QTest::addColumn<QStringList>("some");
        QTest::addColumn<int>("places");
        QTest::addColumn<QString>("last_place");
        const QString big = QStringLiteral("bigscience_logs_a/");
        QTest::newRow("four stages") << big + "gpt2-meg__meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out" << 135
                                     << QStringList{"world_size=16", "pipeline_model_parallel_size=4",
                                                    "padded_vocab_size=50688"}
                                     << 16 << "stage 3, tensor rank 3: 1210807296";
        QTest::newRow("eight stages")
            << big + "gpt2-meg__meg_gpt2_base_n8_dp1_tp4_pp8-1809562.out" << 135
            << QStringList{"world_size=32", "pipeline_model_parallel_size=8", "tokenizer_vocab_size=50257"}
            << 32 << "";
        QTest::newRow("ZeRO, of 2021")
            << big + "gpt2-meg-ds-zero__meg_ds_zero_gpt2_perf_n16-1999616.out" << 171
            << QStringList{"world_size=64", "hidden_size=8192", "deepspeed.zero_optimization_stage=3"} << 0
            << "";
        QTest::newRow("behind a launcher")
            << "superbench_megatron_deepspeed/megatron_deepspeed.log" << 369
            << QStringList{"world_size=16", "num_experts=[1]", "padded_vocab_size=50304",
                           "deepspeed.train_micro_batch_size_per_gpu=2"}
            << 1 << "stage 0, tensor rank 0: 6650208256";
    }
    void sharedLogsTellWhatTheirTablesSay()
    {
        QFETCH(QString, file);
        QFETCH(int, arguments);
        QFETCH(QStringList, some);
        QFETCH(int, places);
        QFETCH(QString, last_place);
        const Result<TraceSet> set = importTraces(std::array{traces / file.toStdString()});
        QVERIFY(set);
        const TraceFile& log = onlyFile(set);
        const QStringList told = argumentsOf(log);
        QCOMPARE(static_cast<int>(told.size()), arguments);
        for (const QString& argument : some)
            QVERIFY2(told.contains(argument), qPrintable(argument));
        QVERIFY(std::ranges::none_of(told, [](const QString& each) { return each.contains('/'); }));
        QCOMPARE(static_cast<int>(log.parameters.size()), places);
        if (!last_place.isEmpty())
            QCOMPARE(parametersOf(log).back(), last_place);
    }
};

QTEST_APPLESS_MAIN(TestArgumentLines)
#include "tst_argument_lines.moc"

#include "widgets/panels/scenario/figure_names.h"

#include "core/scenario/validation/validation.h"

#include <QTest>

using namespace shardscope;

class TestFigureNames : public QObject
{
    Q_OBJECT
private slots:
    void keysAreNamedAsOnScreen_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const char* field, const char* sentence, const char* shown) {
            QTest::newRow(name) << QString{field} << QString{sentence} << QString{shown};
        };
        row("a key with its value", "parallel.tensor",
            "tensor (3) does not divide attention_heads (16); choose 1, 2, 4, 8 or 16",
            "Tensor (3) does not divide Attention heads (16); choose 1, 2, 4, 8 or 16");
        row("a product of keys", "training.global_batch_size",
            "micro_batch_size * data (4 * 3 = 12) does not divide global_batch_size (512); choose a "
            "global_batch_size of 504 or 516, or parallel.data of 2 or 4",
            "Micro-batch * Data (4 * 3 = 12) does not divide Global batch (512); choose a Global batch of "
            "504 "
            "or 516, or Data of 2 or 4");
        row("an ordinary word", "training.global_batch_size",
            "schedule interleaved needs a multiple of pipeline (4) micro-batches, not 5",
            "schedule interleaved needs a multiple of Pipeline (4) micro-batches, not 5");
        row("a name that two links share", "cluster.inter_node.bandwidth_GBps",
            "bandwidth_GBps is 0; choose 1e-09 to 1e+12", "Between nodes is 0; choose 1e-09 to 1e+12");
        row("a field whose name is a word", "model.layers", "layers is 0; choose 1 to 10 000",
            "Layers is 0; choose 1 to 10 000");
        row("a warning, which has no field", "",
            "tp_overlap needs sequence_parallel: tensor (8) is more than kv_heads (4), and every all_reduce "
            "waits",
            "Overlap tensor needs Sequence parallel: Tensor (8) is more than KV heads (4), and every "
            "all_reduce waits");
        row("a word at the end", "training.precision", "the tensors have more than 2^50 parameters together",
            "the tensors have more than 2^50 parameters together");
    }
    void keysAreNamedAsOnScreen()
    {
        QFETCH(QString, field);
        QFETCH(QString, sentence);
        QFETCH(QString, shown);
        QCOMPARE(sentenceOnScreen({field.toStdString(), sentence.toStdString()}), shown);
    }
};

QTEST_APPLESS_MAIN(TestFigureNames)
#include "tst_figure_names.moc"

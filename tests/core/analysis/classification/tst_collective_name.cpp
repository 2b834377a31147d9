#include <QTest>

#include "core/analysis/calls/call_groups.h"
#include "core/analysis/classification/collective_name.h"

using namespace shardscope;

class TestCollectiveName : public QObject
{
    Q_OBJECT
private slots:
    void namesBecomeOperations_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("op");
        const auto row = [](const char* name, const char* op) { QTest::newRow(name) << name << op; };
        row("allreduce", "all_reduce");
        row("gloo:all_reduce", "all_reduce");
        row("allreduce_coalesced", "all_reduce");
        row("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", "all_reduce");
        row("cross_device_reduce_1stage", "all_reduce");
        row("_allgather_base", "all_gather");
        row("nccl:_all_gather_base", "all_gather");
        row("allgather_into_tensor_coalesced", "all_gather");
        row("_reduce_scatter_base", "reduce_scatter");
        row("reduce_scatter_tensor_coalesced", "reduce_scatter");
        row("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "reduce_scatter");
        row("all_to_allv", "all_to_all");
        row("nccl:all_to_all", "all_to_all");
        row("broadcast", "broadcast");
        row("gloo:recv", "recv");
        row("nccl:send 0->3", "send");
        row("nccl:recv 1<-2", "recv");
        row("reduce", "reduce");
        row("barrier", "barrier");
        row("gather", "gather");
        row("scatter", "scatter");
        row("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "other");
        row("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", "other");
        row("batch_isend_irecv", "other");
        row("isend", "send");
        row("wait", "other");
    }
    void namesBecomeOperations()
    {
        QFETCH(QString, name);
        const auto op = word(opFromName(name.toStdString()));
        QTEST(QString::fromUtf8(op.data(), static_cast<qsizetype>(op.size())), "op");
    }

    // Sizes as the trace summary format counts them: all_gather by its result, reduce_scatter by its input.
    void messagesHaveTheSizeOfWhatTheCallIsGiven_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<qint64>("in");
        QTest::addColumn<qint64>("out");
        QTest::addColumn<qint64>("group");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("all_reduce") << "all_reduce" << qint64{4096} << qint64{4096} << qint64{8}
                                    << qint64{4096};
        QTest::newRow("all_gather") << "all_gather" << qint64{512} << qint64{4096} << qint64{8}
                                    << qint64{4096};
        QTest::newRow("all_gather by its part")
            << "all_gather" << qint64{512} << qint64{-1} << qint64{8} << qint64{4096};
        QTest::newRow("all_gather, part written twice")
            << "all_gather" << qint64{512} << qint64{512} << qint64{8} << qint64{4096};
        QTest::newRow("all_gather of one")
            << "all_gather" << qint64{512} << qint64{512} << qint64{1} << qint64{512};
        QTest::newRow("all_gather, group unknown")
            << "all_gather" << qint64{512} << qint64{-1} << qint64{0} << qint64{-1};
        QTest::newRow("reduce_scatter")
            << "reduce_scatter" << qint64{4096} << qint64{512} << qint64{8} << qint64{4096};
        QTest::newRow("reduce_scatter by its part")
            << "reduce_scatter" << qint64{-1} << qint64{512} << qint64{8} << qint64{4096};
        QTest::newRow("all_to_all") << "all_to_all" << qint64{4000} << qint64{4096} << qint64{8}
                                    << qint64{4000};
        QTest::newRow("recv of the receiver")
            << "recv" << qint64{-1} << qint64{64} << qint64{2} << qint64{64};
        QTest::newRow("barrier") << "barrier" << qint64{1} << qint64{1} << qint64{8} << qint64{0};
        QTest::newRow("nothing told") << "all_reduce" << qint64{-1} << qint64{-1} << qint64{8} << qint64{-1};
        QTest::newRow("too large to count")
            << "all_gather" << qint64{1} + (qint64{1} << 62) << qint64{-1} << qint64{8} << qint64{-1};
    }
    void messagesHaveTheSizeOfWhatTheCallIsGiven()
    {
        QFETCH(QString, op);
        QFETCH(qint64, in);
        QFETCH(qint64, out);
        QFETCH(qint64, group);
        QTEST(static_cast<qint64>(messageBytes(*opFromWord(op.toStdString()), in, out, group)), "bytes");
    }

    void ranksAreReadFromText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("known");
        QTest::newRow("list") << "[0, 8,16]" << true;
        QTest::newRow("cut") << "[0, 1, 2, ...]" << false;
        QTest::newRow("empty") << "[]" << false;
        QTest::newRow("nothing") << "" << false;
        QTest::newRow("negative") << "[-1, 0]" << false;
        QTest::newRow("no list") << "0, 8, 16" << false;
        QTest::newRow("not closed") << "[0, 8" << false;
    }
    void ranksAreReadFromText()
    {
        QFETCH(QString, text);
        QFETCH(bool, known);
        const auto ranks = numbersFromText(text.toStdString());
        QCOMPARE(ranks.has_value(), known);
        if (known)
            QCOMPARE(*ranks, (std::vector<std::int64_t>{0, 8, 16}));
    }
};

QTEST_APPLESS_MAIN(TestCollectiveName)
#include "tst_collective_name.moc"

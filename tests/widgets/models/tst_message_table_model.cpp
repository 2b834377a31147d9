#include "tests/fail_on_warnings.h"
#include "widgets/models/message_filter_model.h"
#include "widgets/models/message_table_model.h"

#include "tests/widgets/sample_content.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace shardscope;
using Table = MessageTableModel;

static int rowOf(const Table& model, Kind kind, std::string_view what)
{
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.row(row).message.kind == kind && model.row(row).message.what == what)
            return row;
    return -1;
}

class TestMessageTableModel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void itIsAProperModelWhateverItIsGiven()
    {
        Table model;
        MessageFilterModel filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester source{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        const QAbstractItemModelTester proxy{&filter, QAbstractItemModelTester::FailureReportingMode::QtTest};
        filter.sort(Table::TotalColumn, Qt::DescendingOrder);
        model.setContent(sample::content(), RankScope::ofStage(0));
        model.setContent(sample::content(true), RankScope::ofStage(3));
        filter.setHidden(static_cast<int>(Kind::tp), true);
        model.setContent(sample::content(true), RankScope::world());
        model.setSelection({Kind::dp, std::nullopt, std::nullopt});
        filter.setHidden(static_cast<int>(Kind::dp), true);
        model.setContent(Content{}, RankScope::world());
        QCOMPARE(model.rowCount(), 0);
    }

    void cellsReadAsPeopleWriteThem()
    {
        Table model;
        model.setContent(sample::content(), RankScope::ofStage(0));
        const int row = rowOf(model, Kind::dp, "gradients");
        QCOMPARE(model.text(row, Table::KindColumn), "dp");
        QCOMPARE(model.text(row, Table::OpColumn), "all_reduce");
        QCOMPARE(model.text(row, Table::PhaseColumn), "step");
        QCOMPARE(model.text(row, Table::SizeColumn), "741 MiB");
        QCOMPARE(model.text(row, Table::GroupColumn), "4");
        QCOMPARE(model.text(row, Table::MeasuredColumn), "");
        QCOMPARE(model.plainText(row, Table::SizeColumn), "777492000");
        // Wire of an all_reduce over four: 2 * 3 / 4 of the payload.
        QCOMPARE(model.plainText(row, Table::WireColumn), "1166238000");
        QVERIFY(model.data(model.index(row, Table::SizeColumn), Qt::ToolTipRole)
                    .toString()
                    .contains("777\u00a0492\u00a0000"));
    }

    void oneMoveOfASliderIsOneDataChanged()
    {
        Table model;
        model.setContent(sample::content(), RankScope::ofStage(0));
        const QSignalSpy changed{&model, &Table::dataChanged};
        const QSignalSpy inserted{&model, &Table::rowsInserted};
        const QSignalSpy removed{&model, &Table::rowsRemoved};
        model.setContent(sample::content(), RankScope::ofStage(0));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(inserted.count() + removed.count(), 0);
    }

    void theTraceStandsBesideThePrediction()
    {
        Table model;
        model.setContent(sample::content(true), RankScope::ofStage(0));
        QVERIFY(model.hasMeasurement());
        const int embedding = rowOf(model, Kind::emb, "embedding gradients");
        QCOMPARE(model.row(embedding).agreement, Agreement::equal);
        QCOMPARE(model.text(embedding, Table::MeasuredColumn), "✓ 1");
        // Seven rows of the same size: the trace knows their sum alone.
        const int attention = rowOf(model, Kind::tp, "attention");
        QCOMPARE(model.text(attention, Table::MeasuredColumn), "✓ Σ 680");
    }

    void whatASumIsOfIsSaidInItsTip()
    {
        Table model;
        model.setContent(sample::content(true), RankScope::ofStage(0));
        const int attention = rowOf(model, Kind::tp, "attention");
        const QString tip =
            model.data(model.index(attention, Table::MeasuredColumn), Qt::ToolTipRole).toString();
        QVERIFY2(tip.startsWith(
                     "Σ: a trace does not tell the 7 rows of tp all_reduce of 131\u00a0072\u00a0000 bytes "
                     "apart, so their calls are counted together. The rows together are expected "
                     "to make 680 calls, and 680 were found"),
                 qPrintable(tip));
    }

    // 112 + 112 of the layers and 8 of the embedding: the trace has these alone, whatever a step would send.
    void aRunOfForwardPassesIsHeldAgainstForwardMessages()
    {
        Content content = sample::content(true);
        auto run = std::make_shared<MeasuredRun>(*content.measured);
        run->is_forward_only = true;
        for (RankMeasurement& rank : run->measurement.ranks) {
            std::erase_if(rank.collectives, [](const MeasuredCollective& calls) {
                return calls.kind != Kind::tp || calls.count == 8;
            });
            rank.collectives.resize(2);
            rank.collectives.back().count += 8;
        }
        content.measured = run;
        Table model;
        model.setContent(content, RankScope::ofStage(0));
        const int forward = rowOf(model, Kind::tp, "embedding");
        QCOMPARE(model.text(forward, Table::MeasuredColumn), "✓ Σ 232");
        QCOMPARE(model.row(forward).rows_of_key, 3);
        for (int row = 0; row < model.rowCount(); ++row) {
            const MessageRow& line = model.row(row);
            const bool is_recorded = line.message.phase == Phase::forward;
            QCOMPARE(line.agreement == Agreement::not_recorded, !is_recorded);
            QCOMPARE(model.text(row, Table::MeasuredColumn) == "not recorded", !is_recorded);
            QCOMPARE(model.plainText(row, Table::MeasuredColumn).isEmpty(), !is_recorded);
        }
    }

    // The sample's last stage sends its gradients in two calls of half the size.
    void whatDiffersIsShown()
    {
        Table model;
        model.setContent(sample::content(true), RankScope::ofStage(3));
        const int predicted = rowOf(model, Kind::dp, "gradients");
        QCOMPARE(model.row(predicted).agreement, Agreement::different);
        QCOMPARE(model.text(predicted, Table::MeasuredColumn), "≠ 0");
        const int measured = model.rowCount() - 1;
        QVERIFY(!model.row(measured).is_predicted);
        QCOMPARE(model.row(measured).key(), (MessageKey{Kind::dp, Op::all_reduce, 777492000 / 2}));
        QCOMPARE(model.text(measured, Table::CountColumn), "0");
        QCOMPARE(model.text(measured, Table::MeasuredColumn), "≠ 2");
        QCOMPARE(model.text(measured, Table::ShareColumn), "");
    }

    void aRunThatNothingPredictsStandsAlone()
    {
        Content content = sample::content(true);
        auto predicted = std::make_shared<PredictedScenario>(*content.predicted);
        predicted->is_nobodys = true;
        content.predicted = predicted;
        Table model;
        model.setContent(content, RankScope::read());
        QVERIFY(model.rowCount() > 0);
        for (int row = 0; row < model.rowCount(); ++row) {
            QVERIFY(!model.row(row).is_predicted);
            QCOMPARE(model.row(row).agreement, Agreement::alone);
            QCOMPARE(model.text(row, Table::CountColumn), "");
            QVERIFY(!model.text(row, Table::MeasuredColumn).contains("≠"));
            QVERIFY(!model.text(row, Table::MeasuredColumn).isEmpty());
        }
        content.measured = nullptr; // then the prediction is all there is
        model.setContent(content, RankScope::ofStage(0));
        QVERIFY(model.row(0).is_predicted);
    }

    // As many calls of the same size, in groups that are not the scenario's.
    void callsInOtherGroupsAreNoneOfThePredictedOnes()
    {
        Content content = sample::content(true);
        auto run = std::make_shared<MeasuredRun>(*content.measured);
        for (RankMeasurement& rank : run->measurement.ranks)
            for (MeasuredCollective& calls : rank.collectives)
                if (calls.kind == Kind::tp)
                    calls.group_size = 8;
        content.measured = run;
        Table model;
        model.setContent(content, RankScope::ofStage(0));
        for (int row = 0; row < model.rowCount(); ++row) {
            const MessageRow& line = model.row(row);
            if (!line.is_predicted)
                continue;
            QCOMPARE(line.other_group, std::int64_t{line.message.kind == Kind::tp ? 8 : 0});
            if (line.message.kind == Kind::tp)
                QVERIFY(model.text(row, Table::MeasuredColumn).startsWith("≠"));
        }
    }

    void messagesOfAllRanksAreAddedUp()
    {
        Table model;
        model.setContent(sample::content(), RankScope::world());
        const int norm = rowOf(model, Kind::mp, "gradient norm");
        QCOMPARE(model.row(norm).count, 32);
        double share = 0.0;
        for (int row = 0; row < model.rowCount(); ++row)
            share += model.row(row).share;
        QVERIFY(qFuzzyCompare(share, 1.0));
    }

    void theSelectionMarksItsRowsAndFadesTheOthers()
    {
        Table model;
        model.setContent(sample::content(), RankScope::ofStage(0));
        const auto mark = [&](Kind kind, std::string_view what) {
            return model.data(model.index(rowOf(model, kind, what), 0), Table::MarkRole).toInt();
        };
        QCOMPARE(mark(Kind::tp, "mlp"), int{Table::Plain});
        model.setSelection({Kind::tp, std::nullopt, std::nullopt});
        QCOMPARE(mark(Kind::tp, "mlp"), int{Table::Marked});
        QCOMPARE(mark(Kind::dp, "gradients"), int{Table::Faded});
        model.setSelection({Kind::dp, std::nullopt, MessageKey{Kind::dp, Op::all_reduce, 777492000}});
        QCOMPARE(mark(Kind::dp, "gradients"), int{Table::Marked});
        QCOMPARE(mark(Kind::tp, "mlp"), int{Table::Faded});
    }

    void sortingGoesByFiguresNotByTexts()
    {
        Table model;
        MessageFilterModel filter;
        filter.setSourceModel(&model);
        model.setContent(sample::content(), RankScope::ofStage(0));
        filter.sort(Table::SizeColumn, Qt::DescendingOrder);
        QCOMPARE(filter.index(0, Table::SizeColumn).data().toString(), "741 MiB");
        QCOMPARE(filter.index(filter.rowCount() - 1, Table::SizeColumn).data().toString(), "4 B");
    }

    void kindsCanBeHidden()
    {
        Table model;
        MessageFilterModel filter;
        filter.setSourceModel(&model);
        model.setContent(sample::content(), RankScope::ofStage(0));
        const int all = filter.rowCount();
        filter.setHidden(static_cast<int>(Kind::tp), true);
        QCOMPARE(filter.rowCount(), all - 7);
        filter.setHidden(static_cast<int>(Kind::tp), false);
        QCOMPARE(filter.rowCount(), all);
    }
};

QTEST_GUILESS_MAIN(TestMessageTableModel)
#include "tst_message_table_model.moc"

#include "widgets/models/message_filter_model.h"
#include "widgets/models/message_table_model.h"

#include "tests/widgets/sample_content.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace shardscope;
using Model = MessageTableModel;

static int rowOf(const Model& model, Kind kind, std::string_view what)
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
    void init() { QTest::failOnWarning(QRegularExpression{".*"}); }

    void itIsAProperModelWhateverItIsGiven()
    {
        Model model;
        MessageFilterModel filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester source{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        const QAbstractItemModelTester proxy{&filter, QAbstractItemModelTester::FailureReportingMode::QtTest};
        filter.sort(Model::TotalColumn, Qt::DescendingOrder);
        model.setContent(sample::content(), RankScope::ofStage(0));
        model.setContent(sample::content(true), RankScope::ofStage(3));
        filter.setHidden(static_cast<int>(Kind::tp), true);
        model.setContent(sample::content(true), RankScope::world());
        model.setSelection({Kind::dp, std::nullopt, std::nullopt});
        filter.showAlone(static_cast<int>(Kind::dp));
        model.setContent(Content{}, RankScope::world());
        QCOMPARE(model.rowCount(), 0);
    }

    void cellsReadAsPeopleWriteThem()
    {
        Model model;
        model.setContent(sample::content(), RankScope::ofStage(0));
        const int row = rowOf(model, Kind::dp, "gradients");
        QCOMPARE(model.text(row, Model::KindColumn), "dp");
        QCOMPARE(model.text(row, Model::OpColumn), "all_reduce");
        QCOMPARE(model.text(row, Model::PhaseColumn), "step");
        QCOMPARE(model.text(row, Model::SizeColumn), "741 MiB");
        QCOMPARE(model.text(row, Model::GroupColumn), "4");
        QCOMPARE(model.text(row, Model::MeasuredColumn), "");
        QCOMPARE(model.plainText(row, Model::SizeColumn), "777492000");
        // Wire of an all_reduce over four: 2 * 3 / 4 of the payload.
        QCOMPARE(model.plainText(row, Model::WireColumn), "1166238000");
        QVERIFY(model.data(model.index(row, Model::SizeColumn), Qt::ToolTipRole)
                    .toString()
                    .contains("777 492 000"));
    }

    void oneMoveOfASliderIsOneDataChanged()
    {
        Model model;
        model.setContent(sample::content(), RankScope::ofStage(0));
        const QSignalSpy changed{&model, &Model::dataChanged};
        const QSignalSpy inserted{&model, &Model::rowsInserted};
        const QSignalSpy removed{&model, &Model::rowsRemoved};
        model.setContent(sample::content(), RankScope::ofStage(0));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(inserted.count() + removed.count(), 0);
    }

    void theTraceStandsBesideThePrediction()
    {
        Model model;
        model.setContent(sample::content(true), RankScope::ofStage(0));
        QVERIFY(model.hasMeasurement());
        const int embedding = rowOf(model, Kind::emb, "embedding gradients");
        QCOMPARE(model.row(embedding).agreement, Agreement::equal);
        QCOMPARE(model.text(embedding, Model::MeasuredColumn), "✓ 1");
        // Seven rows of the same size: the trace knows their sum alone.
        const int attention = rowOf(model, Kind::tp, "attention");
        QCOMPARE(model.text(attention, Model::MeasuredColumn), "✓ Σ 680");
    }

    // The sample's last stage sends its gradients in two calls of half the size.
    void whatDiffersIsShown()
    {
        Model model;
        model.setContent(sample::content(true), RankScope::ofStage(3));
        const int predicted = rowOf(model, Kind::dp, "gradients");
        QCOMPARE(model.row(predicted).agreement, Agreement::different);
        QCOMPARE(model.text(predicted, Model::MeasuredColumn), "≠ 0");
        const int measured = model.rowCount() - 1;
        QVERIFY(!model.row(measured).is_predicted);
        QCOMPARE(model.row(measured).key(), (MessageKey{Kind::dp, Op::all_reduce, 777492000 / 2}));
        QCOMPARE(model.text(measured, Model::CountColumn), "0");
        QCOMPARE(model.text(measured, Model::MeasuredColumn), "≠ 2");
        QCOMPARE(model.text(measured, Model::ShareColumn), "");
    }

    void messagesOfAllRanksAreAddedUp()
    {
        Model model;
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
        Model model;
        model.setContent(sample::content(), RankScope::ofStage(0));
        const auto mark = [&](Kind kind, std::string_view what) {
            return model.data(model.index(rowOf(model, kind, what), 0), Model::MarkRole).toInt();
        };
        QCOMPARE(mark(Kind::tp, "mlp"), int{Model::Plain});
        model.setSelection({Kind::tp, std::nullopt, std::nullopt});
        QCOMPARE(mark(Kind::tp, "mlp"), int{Model::Marked});
        QCOMPARE(mark(Kind::dp, "gradients"), int{Model::Faded});
        model.setSelection({Kind::dp, std::nullopt, MessageKey{Kind::dp, Op::all_reduce, 777492000}});
        QCOMPARE(mark(Kind::dp, "gradients"), int{Model::Marked});
        QCOMPARE(mark(Kind::tp, "mlp"), int{Model::Faded});
    }

    void sortingGoesByFiguresNotByTexts()
    {
        Model model;
        MessageFilterModel filter;
        filter.setSourceModel(&model);
        model.setContent(sample::content(), RankScope::ofStage(0));
        filter.sort(Model::SizeColumn, Qt::DescendingOrder);
        QCOMPARE(filter.index(0, Model::SizeColumn).data().toString(), "741 MiB");
        QCOMPARE(filter.index(filter.rowCount() - 1, Model::SizeColumn).data().toString(), "4 B");
    }

    void kindsCanBeHidden()
    {
        Model model;
        MessageFilterModel filter;
        filter.setSourceModel(&model);
        model.setContent(sample::content(), RankScope::ofStage(0));
        const int all = filter.rowCount();
        filter.setHidden(static_cast<int>(Kind::tp), true);
        QCOMPARE(filter.rowCount(), all - 7);
        filter.showAlone(static_cast<int>(Kind::tp));
        QCOMPARE(filter.rowCount(), 7);
        filter.showAlone(static_cast<int>(Kind::tp));
        QCOMPARE(filter.rowCount(), all);
    }
};

QTEST_GUILESS_MAIN(TestMessageTableModel)
#include "tst_message_table_model.moc"

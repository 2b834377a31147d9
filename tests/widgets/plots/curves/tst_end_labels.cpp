#include "widgets/plots/curves/end_labels.h"

#include <QFontMetricsF>
#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace
{

// As many lines that all end at one place, the last of them thick.
CurveScene meetingLines(int count, bool have_dashes)
{
    CurveScene scene;
    for (int i = 0; i < count; ++i) {
        CurveLine line;
        line.points = {{1.0, 1.0 + i}, {10.0, 5.0}};
        line.label = QStringLiteral("line %1").arg(i);
        line.width = i + 1 == count ? 2.0 : 1.0;
        if (have_dashes)
            line.dashes = {1.0 + i, 3.0};
        scene.lines.push_back(line);
    }
    return scene;
}

} // namespace

class TestEndLabels : public QObject
{
    Q_OBJECT
private slots:
    void labelsOfLinesThatMeetStandApart_data()
    {
        QTest::addColumn<bool>("have_dashes");
        QTest::newRow("told apart by colour") << false;
        QTest::newRow("told apart by dashes") << true;
    }
    void labelsOfLinesThatMeetStandApart()
    {
        QFETCH(bool, have_dashes);
        const CurveScene scene = meetingLines(6, have_dashes);
        const QRectF picture{0, 0, 600, 400};
        const CurveMapping mapping{scene, curveArea(scene, picture, m_font)};
        const std::vector<EndLabel> labels = endLabels(scene, mapping, picture.width(), m_font);
        QCOMPARE(labels.size(), scene.lines.size());
        const QFontMetricsF metrics{m_font};
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const QString& text = scene.lines[static_cast<std::size_t>(labels[i].line)].label;
            QVERIFY(labels[i].box.width() >= metrics.horizontalAdvance(text));
            QVERIFY(labels[i].box.left() > mapping.area().right());
            QVERIFY(labels[i].box.right() <= picture.right());
            QVERIFY(i == 0
                    || labels[i].box.center().y() - labels[i - 1].box.center().y() > 0.9 * metrics.height());
        }
        // All but those that stand where the lines end are joined to them.
        QVERIFY(std::ranges::count_if(labels, &EndLabel::is_moved) >= 4);
    }

    void aLabelBesideItsLineNeedsNoLeader()
    {
        const CurveScene scene = meetingLines(1, false);
        const CurveMapping mapping{scene, curveArea(scene, {0, 0, 600, 400}, m_font)};
        const std::vector<EndLabel> labels = endLabels(scene, mapping, 600, m_font);
        QCOMPARE(labels.size(), std::size_t{1});
        QVERIFY(!labels.front().is_moved);
        QCOMPARE(labels.front().box.center().y(), mapping.place({10.0, 5.0}).y());
    }

    void whereThereIsNoRoomTheThinLinesGoWithout()
    {
        const CurveScene scene = meetingLines(12, false);
        const CurveMapping mapping{scene, {50, 0, 300, 40}};
        const std::vector<EndLabel> labels = endLabels(scene, mapping, 400, m_font);
        QVERIFY(labels.size() < scene.lines.size());
        QVERIFY(std::ranges::find(labels, 11, &EndLabel::line) != labels.end());
        QVERIFY(std::ranges::find(labels, 10, &EndLabel::line) == labels.end());
        for (const EndLabel& label : labels)
            QVERIFY(label.box.center().y() >= -1.0 && label.box.center().y() <= 41.0);
    }

    void withoutLabelsTheCurvesHaveTheRoom()
    {
        CurveScene scene = meetingLines(2, false);
        const double with = curveArea(scene, {0, 0, 600, 400}, m_font).width();
        for (CurveLine& line : scene.lines)
            line.label.clear();
        QVERIFY(curveArea(scene, {0, 0, 600, 400}, m_font).width() > with);
    }

private:
    QFont m_font;
};

QTEST_MAIN(TestEndLabels)
#include "tst_end_labels.moc"

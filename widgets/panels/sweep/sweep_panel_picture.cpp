// The picture of sweeps as it leaves the window.
#include "widgets/panels/sweep/sweep_panel.h"

#include "widgets/panels/picture/legend_frame.h"
#include "widgets/panels/sweep/sweep_bars_view.h"
#include "widgets/panels/sweep/sweep_changes_view.h"
#include "widgets/panels/sweep/sweep_measured_view.h"
#include "widgets/panels/sweep/sweep_scaling_view.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/changes/change_chart.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/maps/map_view.h"

#include <QComboBox>
#include <QStackedLayout>

#include <algorithm>

namespace shardscope
{

QString SweepPanel::csv() const
{
    if (!m_answer.question.predicted || !m_answer.problem.empty())
        return {};
    switch (m_answer.question.study->picture) {
    case StudyPicture::bars:
    case StudyPicture::layouts:
        return csvText(showsCurves() ? scalingTable(m_answer) : sweepTable(m_answer));
    case StudyPicture::map:
        return csvText(timeMapTable(m_answer));
    case StudyPicture::projection:
        return csvText(projectionTable(m_answer));
    case StudyPicture::measured:
        return csvText(measuredSizesTable(m_answer));
    case StudyPicture::changes:
    case StudyPicture::steps:
        return csvText(changesTable(m_answer));
    case StudyPicture::futures:
        break;
    }
    return csvText(futuresTable(m_answer));
}

QString SweepPanel::heading() const
{
    const QString what = m_study_box->currentText();
    return m_quantity_box->count() > 0 ? tr("%1: %2").arg(what, m_quantity_box->currentText()) : what;
}

// The pinned scenario has bars or lines of its own only beside those of an axis, and a mark on a map.
PicturePanel::Sources SweepPanel::sources() const
{
    const bool has_ghosts = isAnswered() && !m_answer.pinned_points.empty()
                            && (showsCurves() || quantity() != SweepQuantity::shares);
    if (study().picture == StudyPicture::measured)
        return {m_answer.measured.has_scenario, m_answer.measured.is_against_pinned, true};
    if (showsChanges())
        return {true, study().picture == StudyPicture::steps && m_answer.question.pinned, false};
    const bool has_mark = study().picture == StudyPicture::map;
    return {true, has_ghosts || has_mark, false};
}

// Of a map the ends of each row, as its axes set the same figures everywhere.
PicturePanel::Variations SweepPanel::variations() const
{
    Variations variations;
    if (!isAnswered())
        return variations;
    const auto add = [](std::vector<Scenario>& scenarios, const std::vector<SweepPoint>& points) {
        for (const SweepPoint& point : points)
            if (point.isValid())
                scenarios.push_back(point.scenario);
    };
    add(variations.predicted, m_answer.points);
    add(variations.pinned, m_answer.pinned_points);
    if (study().picture == StudyPicture::map)
        variations.predicted = endsOfRows(m_answer);
    return variations;
}

// All changes, also those that are scrolled to.
QSize SweepPanel::wholeSize(const QSize& usual) const
{
    if (m_pages->currentWidget() != m_changes)
        return usual;
    const int rows = m_changes->wholeHeight(usual.width());
    return {usual.width(), std::max(usual.height(), rows + m_legend->heightForWidth(usual.width()))};
}

void SweepPanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    const QRectF rest = paintLegendFrame(painter, rectangle, *m_legend);
    const QWidget* shown = m_pages->currentWidget();
    if (shown == m_chart && isAnswered() && study().picture == StudyPicture::measured)
        m_chart->paintTo(painter, rest, measuredSizesScene(m_answer, Theme{palette()}, false));
    else if (shown == m_chart)
        m_chart->paintTo(painter, rest);
    else if (shown == m_futures_chart)
        m_futures_chart->paintTo(painter, rest);
    else if (shown == m_changes)
        m_changes->paintTo(painter, rest);
    else if (shown == m_curves)
        m_curves->paintTo(painter, rest);
    else if (shown == m_map)
        m_map->paintTo(painter, rest);
}

} // namespace shardscope

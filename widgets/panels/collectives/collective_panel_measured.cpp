// What was measured, in the explorer of collectives: which of it is shown, what a point says, and the fit.
#include "widgets/panels/collectives/collective_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/collectives/fit_bar.h"
#include "widgets/panels/controls/short_choice_box.h"
#include "widgets/panels/scenario/figure_names.h"
#include "widgets/session/shown_text.h"

#include "core/collectives/collective_time.h"
#include "core/report/explanation/collective_explanation.h"

#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// "Mean error 3.2 % (before: 3.7 %), 11.6 % on what was left out."
QString errorsText(const Calibration& fit)
{
    return CollectivePanel::tr("Mean error %1 (before: %2)%3.")
        .arg(percentText(fit.error_fitted), percentText(fit.error_before),
             fit.error_left_out
                 ? CollectivePanel::tr(", %1 on what was left out").arg(percentText(*fit.error_left_out))
                 : QString{});
}

// "The fit is worse. Few measurements."
QString sentencesOf(const std::vector<std::string>& notes)
{
    QStringList sentences;
    for (const std::string& note : notes) {
        const QString text = warningOnScreen(note);
        sentences << text.left(1).toUpper() + text.mid(1) + (text.endsWith('?') ? "" : ".");
    }
    return sentences.join(' ');
}

} // namespace

// Whose choice it was does not matter where nothing of it was measured in the run that was just opened.
void CollectivePanel::chooseMeasured()
{
    if (!m_seeks_measured || !m_content.measured || !m_content.predicted)
        return;
    const Measurement& measurement = m_content.measured->measurement;
    const Scenario& scenario = m_content.predicted->scenario;
    const auto choice = mostMeasured(measurement, scenario, m_groups);
    const int op_place = choice ? m_op_box->findData(static_cast<int>(choice->op)) : -1;
    if (op_place < 0)
        return; // it may not be analysed yet
    m_seeks_measured = false;
    if (group() != nullptr && !measuredCollectives(measurement, scenario, op(), *group()).empty())
        return;
    const QSignalBlocker quiet_op{m_op_box};
    const QSignalBlocker quiet_group{m_group_box};
    m_op_box->setCurrentIndex(op_place);
    m_group_box->setCurrentIndex(static_cast<int>(choice->group));
    m_op_box->updateGeometry();
    m_group_box->updateGeometry();
    m_is_chosen = true;
}

// Of this size to a rounding: a mark draws the cursor to itself.
QStringList CollectivePanel::measuredLines(double x) const
{
    constexpr double rounding = 1e-9;
    constexpr qsizetype most_lines = 6; // two of a point
    QStringList lines;
    qsizetype more = 0;
    for (const CalibrationPoint& point : m_measured) {
        const auto bytes = static_cast<double>(point.collective->message_bytes.front());
        if (std::fabs(x / bytes - 1.0) > rounding)
            continue;
        if (lines.size() >= most_lines) {
            ++more;
            continue;
        }
        const double busbw = busBandwidthGBps(op(), group()->ranks, Bytes{bytes}, Seconds{point.measured_s});
        const double predicted_s = collectivePoint(m_content.predicted->scenario.cluster, op(), *group(),
                                                   point.collective->message_bytes.front())
                                       .time_s;
        lines << tr("Measured: %1 of %2, %3 ranks: %4, algbw %5 GB/s, busbw %6 GB/s")
                     .arg(toQString(word(op())), bytesText(bytes))
                     .arg(group()->ranks)
                     .arg(secondsText(point.measured_s),
                          QString::number(bytes / point.measured_s / 1e9, 'g', 4),
                          QString::number(busbw, 'g', 4))
              << tr("The curve: %1, %2 %3 than measured")
                     .arg(secondsText(predicted_s),
                          percentText(std::fabs(predicted_s / point.measured_s - 1.0)),
                          predicted_s < point.measured_s ? tr("less") : tr("more"));
    }
    if (more > 0)
        lines << tr("and %1 more of this size").arg(more);
    return lines;
}

QString CollectivePanel::measuredTip(double x) const
{
    QStringList lines = measuredLines(x);
    if (lines.isEmpty())
        return {};
    const QString first = lines.takeFirst().toHtmlEscaped();
    const CollectiveQuestion question = questionOf(op(), *group(), {});
    const std::string parts = collectivePartsText(m_content.predicted->scenario.cluster, question,
                                                  static_cast<std::int64_t>(std::llround(x)));
    return QStringLiteral("<p><b>%1</b></p><p>%2</p><p>%3</p>")
        .arg(first, lines.join('\n').toHtmlEscaped().replace('\n', "<br>"),
             tr("The curve has %1.").arg(toQString(parts)).toHtmlEscaped());
}

// All that was measured of every operation and group is explained at once.
void CollectivePanel::fitToMeasured()
{
    if (!m_content.predicted || !m_content.measured || m_fit.isRunning())
        return;
    CalibrationQuestion question;
    question.scenario = std::make_shared<const Scenario>(m_content.predicted->scenario);
    question.run = m_content.measured;
    m_fit.start([question] { return answerCalibration(question); });
}

void CollectivePanel::fitted(CalibrationAnswer answer)
{
    leaveFit();
    if (!answer.fit) {
        emit statusWished(toQString(answer.problem));
        return;
    }
    m_answer = std::move(answer);
    followFit(); // the run or the constants may be others meanwhile
    if (!m_answer)
        return;
    if (!m_answer->fit->is_doubtful)
        return takeFit();
    const QString notes = sentencesOf(m_answer->fit->notes);
    const QString text = tr("Not taken. %1 %2").arg(errorsText(*m_answer->fit), notes);
    m_fit_bar->ask(text, (QStringList{text} << tipOfFit()).join(QStringLiteral("\n\n")).trimmed());
}

// On what it was fitted to: the bar has no room for that.
QString CollectivePanel::tipOfFit() const
{
    return sentencesOf(m_answer->notes);
}

// What came of it is told when the cluster has the constants: the window may refuse them.
void CollectivePanel::takeFit()
{
    Scenario wished = m_content.predicted->scenario;
    wished.cluster = m_answer->fit->cluster;
    m_fit_bar->hide();
    m_fit_state = FitState::wished;
    emit scenarioWished(wished, tr("Fit of collectives to measurements"), -1);
    followFit(); // of constants that were so before nobody tells
}

void CollectivePanel::leaveFit()
{
    m_answer.reset();
    m_fit_state = FitState::open;
    m_fit_bar->hide();
}

// A fit is of the constants and of the run that it began with; what was taken is told until it is undone.
void CollectivePanel::followFit()
{
    if (!m_answer)
        return;
    const Cluster* now = m_content.predicted ? &m_content.predicted->scenario.cluster : nullptr;
    const Calibration& fit = *m_answer->fit;
    const bool is_fitted = now != nullptr && *now == fit.cluster;
    const bool is_before = now != nullptr && *now == m_answer->question.scenario->cluster;
    if (m_content.measured != m_answer->question.run && m_fit_state == FitState::open)
        return leaveFit();
    if (m_fit_state == FitState::wished && is_fitted) {
        m_fit_state = FitState::taken;
        const QString text =
            tr("The cluster's constants are now fitted to %1 measurements; Edit > Undo brings "
               "the older ones back. %2 %3")
                .arg(fit.rows.size())
                .arg(errorsText(fit), sentencesOf(fit.notes))
                .trimmed();
        m_fit_bar->tell(text, (QStringList{text} << tipOfFit()).join(QStringLiteral("\n\n")).trimmed(),
                        fit.is_doubtful);
        return;
    }
    if (!(m_fit_state == FitState::taken ? is_fitted : is_before))
        leaveFit();
}

} // namespace shardscope

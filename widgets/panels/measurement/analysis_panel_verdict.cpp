// What stands above the table: how two runs differ, and what the clocks of one leave open.
#include "widgets/panels/measurement/analysis_panel.h"

#include "widgets/session/shown_text.h"

#include "core/report/run_difference_report.h"

#include <utility>

namespace shardscope
{

namespace
{

// Offsets that explain what ends lie apart and yet are not trusted; empty where there are none.
QString clocksText(const CrossRank& across)
{
    if (across.matched == 0 || across.alignment_trusted
        || across.alignment_spread_ns > across.alignment_median_ns / 2)
        return {};
    return QStringLiteral(
               "Calls end %1 apart, and %2 with what clocks seem to differ by taken out, which is not "
               "trusted and stays in: a rank whose clock is ahead looks late here.")
        .arg(nanosecondsText(across.alignment_median_ns), nanosecondsText(across.alignment_spread_ns));
}

} // namespace

void AnalysisPanel::compareRuns()
{
    m_difference.reset();
    if (!m_content.comparesRuns()) {
        m_comparing.forget();
        markSections();
        return;
    }
    m_comparing.start([before = m_content.pinned_run, after = m_content.measured] {
        RunDifference difference =
            differenceOf({before->traces, before->measurement}, {after->traces, after->measurement});
        if (before->rules != after->rules)
            difference.notes.emplace_back("The pinned run was read by other communication rules");
        return Difference{std::move(difference)};
    });
}

// What two runs differ in, and of what that holds; whose clocks may make ranks look late.
QString AnalysisPanel::verdict() const
{
    if (section() == AnalysisSection::stragglers && m_content.measured)
        return clocksText(m_content.measured->measurement.cross_rank);
    if (!isOfTwoRuns(section()) || !m_difference)
        return {};
    QStringList sentences{toQString(runDifferenceSentence(*m_difference))};
    if (const std::string memory = memorySentence(*m_difference); !memory.empty())
        sentences << toQString(memory);
    for (const std::string& note : m_difference->notes)
        sentences << toQString(note);
    return sentences.join(QStringLiteral(". ")) + '.';
}

} // namespace shardscope

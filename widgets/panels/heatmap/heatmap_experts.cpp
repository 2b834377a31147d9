#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/heatmap/expert_view.h"
#include "widgets/panels/heatmap/heatmap_panel.h"

#include <QStackedWidget>

// What the heatmap shows of experts.

namespace shardscope
{

void HeatmapPanel::showExperts(bool on)
{
    m_expert_button->setChecked(on);
    if (on)
        m_experts->setPredicted(m_content.predicted);
    m_log_button->setEnabled(!on); // of the squares' colours
    m_node_button->setVisible(!on);
    m_between_button->setVisible(!on && m_node_button->isChecked());
    m_pages->setCurrentWidget(on ? static_cast<QWidget*>(m_experts) : m_view);
    fitHead();
}

bool HeatmapPanel::showsExperts() const
{
    return m_pages->currentWidget() == m_experts;
}

// A model without experts has nothing to show of them.
void HeatmapPanel::offerExperts()
{
    const bool has_experts = ExpertView::hasExperts(m_content.predicted) || !m_loads.empty();
    m_expert_button->setVisible(has_experts);
    showExperts(has_experts && m_expert_button->isChecked());
}

} // namespace shardscope

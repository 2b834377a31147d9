// The controls above the bars of memory: which view is shown, and what makes the scenario fit.
#include "widgets/panels/memory/memory_panel.h"

#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/session/shown_text.h"

#include "core/report/memory_advice_text.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>
#include <QResizeEvent>

#include <array>

namespace shardscope
{

namespace
{

// Pixels: its buttons take a line.
constexpr int low_memory = 220;
constexpr int lowest_memory = 165;
// The words of the row of buttons, by MemoryView.
constexpr std::array<const char*, 4> view_names{"stages", "sequence", "micro-batch", "years"};
constexpr std::array<const char*, 4> short_view_names{"stages", "seq.", "batch", "years"};
constexpr std::array<const char*, 4> view_tips{
    "What a GPU of each pipeline stage holds", "The fullest stage over the length of the sequence",
    "The fullest stage over the size of the micro-batch",
    "Demand of models and memory of devices over the years (Pati et al. 2023)"};

} // namespace

void MemoryPanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    shortenLegend(*this, *m_legend, low_memory, lowest_memory);
}

QWidget* MemoryPanel::makeViewButtons()
{
    auto* row = new QWidget{this};
    auto* layout = new QHBoxLayout{row};
    layout->setContentsMargins(6, 3, 6, 0);
    layout->setSpacing(0);
    layout->addWidget(m_make_fit);
    layout->addSpacing(10);
    const int views = static_cast<int>(view_names.size());
    for (int view = 0; view < views; ++view) {
        auto* button = new SegmentButton{QString::fromUtf8(view_names[static_cast<std::size_t>(view)])};
        button->setShortText(QString::fromUtf8(short_view_names[static_cast<std::size_t>(view)]));
        button->setPlace(SegmentButton::placeOf(view, views));
        button->setToolTip(QString::fromUtf8(view_tips[static_cast<std::size_t>(view)]));
        button->setAccessibleName(QStringLiteral("Memory: %1").arg(button->text()));
        m_views->addButton(button, view);
        layout->addWidget(button);
    }
    m_views->button(0)->setChecked(true);
    connect(m_views, &QButtonGroup::idToggled, this, [this](int view, bool on) {
        if (on)
            showView(static_cast<MemoryView>(view));
    });
    return row;
}

void MemoryPanel::readAdvice()
{
    m_advice.reset();
    if (m_content.predicted && !m_content.predicted->prediction.memory.fits)
        m_advice = adviseMemory(m_content.predicted->scenario);
    m_make_fit->setVisible(m_advice && !m_advice->changes.empty());
    m_make_fit->setToolTip(m_advice ? toQString(memoryAdviceText(*m_advice, m_content.predicted->prediction))
                                    : QString{});
}

QString MemoryPanel::heading() const
{
    return title() + ": " + QString::fromUtf8(view_tips[static_cast<std::size_t>(m_view)]);
}

} // namespace shardscope

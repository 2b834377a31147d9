#include "widgets/panels/heatmap/step_strip.h"

#include "widgets/panels/controls/glyph.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

namespace shardscope
{

namespace
{

constexpr int frame_ms = 700;

} // namespace

StepStrip::StepStrip(QWidget* parent)
    : QWidget{parent},
      m_play{new QToolButton{this}},
      m_slider{new QSlider{Qt::Horizontal, this}},
      m_name{new QLabel{this}}
{
    m_play->setCheckable(true);
    m_play->setAutoRaise(true);
    m_play->setIcon(glyphIcon(Glyph::play));
    m_play->setToolTip(QStringLiteral("Play the steps one after another"));
    m_play->setAccessibleName(QStringLiteral("Play the steps"));
    m_slider->setAccessibleName(QStringLiteral("Step"));
    m_slider->setToolTip(QStringLiteral("The training step that is shown; at the left end the mean of all"));
    m_slider->setPageStep(1);
    m_timer.setInterval(frame_ms);
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(6, 0, 6, 0);
    line->addWidget(m_play);
    line->addWidget(m_slider, 1);
    line->addWidget(m_name);
    connect(m_play, &QToolButton::toggled, this, &StepStrip::play);
    connect(&m_timer, &QTimer::timeout, this, &StepStrip::advance);
    connect(m_slider, &QSlider::valueChanged, this, [this] {
        showStep();
        emit stepChosen(step());
    });
    hide();
}

void StepStrip::setSteps(std::vector<std::int64_t> steps)
{
    if (steps == m_steps)
        return;
    m_steps = std::move(steps);
    m_play->setChecked(false);
    m_slider->setRange(0, static_cast<int>(m_steps.size()));
    m_slider->setValue(0);
    setVisible(m_steps.size() > 1);
    showStep();
}

std::optional<std::int64_t> StepStrip::step() const
{
    const int place = m_slider->value();
    return place == 0 || m_steps.size() < 2 ? std::nullopt
                                            : std::optional{m_steps[static_cast<std::size_t>(place - 1)]};
}

void StepStrip::play(bool on)
{
    m_play->setIcon(glyphIcon(on ? Glyph::pause : Glyph::play));
    on ? m_timer.start() : m_timer.stop();
}

// Behind the last step comes the first one.
void StepStrip::advance()
{
    if (!m_waits)
        m_slider->setValue(m_slider->value() % m_slider->maximum() + 1);
}

void StepStrip::showStep()
{
    const auto shown = step();
    m_name->setText(
        shown ? QStringLiteral("step %1, %2 of %3").arg(*shown).arg(m_slider->value()).arg(m_steps.size())
              : QStringLiteral("mean of %1 steps").arg(m_steps.size()));
}

} // namespace shardscope

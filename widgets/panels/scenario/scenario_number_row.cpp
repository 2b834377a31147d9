#include "widgets/panels/scenario/scenario_number_row.h"

#include "widgets/panels/controls/marked_slider.h"
#include "widgets/panels/controls/quiet_wheel.h"
#include "widgets/panels/scenario/scenario_number_edit.h"

#include "widgets/session/shown_text.h"

#include "core/scenario/validation/validation.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr qint64 same_gesture_ms = 700;

// Drags of all rows share one count, so that no two gestures have the same number.
int nextGesture()
{
    static int last = 0;
    return ++last;
}

} // namespace

ScenarioNumberRow::ScenarioNumberRow(const NumberFigure& number, const Scenario& scenario, QWidget* parent)
    : ScenarioRow{number.figure, scenario, parent},
      m_number{number},
      m_edit{new ScenarioNumberEdit{number.whole, number.may_be_derived}}
{
    if (number.stops)
        makeSlider();
    else
        controls().addStretch(1);
    m_edit->setAccessibleName(label());
    if (number.may_be_derived)
        m_edit->setPlaceholderText(tr("derived"));
    controls().addWidget(m_edit);
    if (*number.unit)
        m_edit->setUnit(QString::fromUtf8(number.unit));
    m_edit->setAllowed([this] { return allowed(); });
    connect(m_edit, &ScenarioNumberEdit::valueWished, this, [this](double value) { wish(value, -1); });
    connect(m_edit, &ScenarioNumberEdit::stepWished, this, &ScenarioNumberRow::step);
    connect(m_edit, &ScenarioNumberEdit::refused, this, &ScenarioNumberRow::setRefusal);
}

void ScenarioNumberRow::makeSlider()
{
    m_slider = new MarkedSlider;
    m_slider->setAccessibleName(label());
    m_slider->setPageStep(4);
    m_slider->setMinimumWidth(48);
    ignoreWheelWithoutFocus(*m_slider);
    controls().addWidget(m_slider, 1);
    connect(m_slider, &QSlider::sliderPressed, this, [this] { m_gesture = nextGesture(); });
    connect(m_slider, &QSlider::sliderReleased, this, &ScenarioNumberRow::placeSlider);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int stop) { wish(m_stops[static_cast<std::size_t>(stop)], gestureId()); });
}

bool ScenarioNumberRow::applies() const
{
    return !m_number.applies || m_number.applies(scenario());
}

void ScenarioNumberRow::addControl(QWidget* control)
{
    controls().insertWidget(controls().indexOf(m_edit), control);
}

void ScenarioNumberRow::setProblem(const QString& sentence)
{
    ScenarioRow::setProblem(sentence);
    m_edit->setPossible(sentence.isEmpty());
}

// Of the figure, by what is said of one that lies outside.
QString ScenarioNumberRow::allowed() const
{
    constexpr double outside = 1e15;
    for (const Problem& problem : validate(m_number.set(scenario(), outside)))
        if (toQString(problem.field) == key() && !problem.allowed.empty())
            return toQString(problem.allowed);
    return {};
}

void ScenarioNumberRow::refresh()
{
    m_edit->setValue(m_number.get(scenario()));
    placeSlider();
}

// Puts the handle where the value is. A value between two stops becomes a stop itself.
void ScenarioNumberRow::placeSlider()
{
    if (!m_slider || m_slider->isSliderDown())
        return;
    const double value = m_number.get(scenario());
    m_stops = m_number.stops(scenario());
    auto place = std::lower_bound(m_stops.begin(), m_stops.end(), value);
    if (!std::isnan(value) && (place == m_stops.end() || *place != value))
        place = m_stops.insert(place, value);
    const QSignalBlocker quiet{m_slider};
    m_slider->setRange(0, std::max(0, static_cast<int>(m_stops.size()) - 1));
    m_slider->setValue(static_cast<int>(place - m_stops.begin()));
    placeMark();
}

void ScenarioNumberRow::setPinned(const Scenario* pinned)
{
    m_pinned = pinned ? m_number.get(*pinned) : std::numeric_limits<double>::quiet_NaN();
    if (m_slider)
        placeMark();
}

// Between two stops the mark stands in proportion.
void ScenarioNumberRow::placeMark()
{
    if (std::isnan(m_pinned) || m_stops.empty()) {
        m_slider->setMark(std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const auto above = std::lower_bound(m_stops.begin(), m_stops.end(), m_pinned);
    double place = static_cast<double>(above - m_stops.begin());
    if (above != m_stops.begin() && above != m_stops.end())
        place -= (*above - m_pinned) / (*above - *(above - 1));
    m_slider->setMark(place);
}

int ScenarioNumberRow::gestureId()
{
    const qint64 now_ms = QDateTime::currentMSecsSinceEpoch();
    if (!m_slider->isSliderDown() && now_ms - m_last_move_ms > same_gesture_ms)
        m_gesture = nextGesture();
    m_last_move_ms = now_ms;
    return m_gesture;
}

void ScenarioNumberRow::step(int direction)
{
    if (m_slider)
        m_slider->setValue(m_slider->value() + direction);
    else
        wish(m_number.get(scenario()) + direction, -1);
}

void ScenarioNumberRow::wish(double value, int drag_id)
{
    emit numberWished(value);
    emit wished(m_number.set(scenario(), value), label(), drag_id);
}

} // namespace shardscope

#pragma once

#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QLabel;
class QSlider;
class QToolButton;

namespace shardscope
{

// A slider over the steps of a run, the mean of them all at its left end, with a button that plays them one
// after another.
class StepStrip : public QWidget
{
    Q_OBJECT
public:
    explicit StepStrip(QWidget* parent = nullptr);

    // Goes back to the mean where they are others than before.
    void setSteps(std::vector<std::int64_t> steps);
    // Nothing: the mean of all.
    std::optional<std::int64_t> step() const;
    // While playing the next step waits until the shown one is there.
    void setWaiting(bool waiting) { m_waits = waiting; }

signals:
    void stepChosen(const std::optional<std::int64_t>& step);

private:
    void play(bool on);
    void advance();
    void showStep();

    std::vector<std::int64_t> m_steps;
    QToolButton* m_play;
    QSlider* m_slider;
    QLabel* m_name;
    QTimer m_timer;
    bool m_waits = false;
};

} // namespace shardscope

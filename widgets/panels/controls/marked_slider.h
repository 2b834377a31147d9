#pragma once

#include <QSlider>

namespace shardscope
{

// A slider with a small mark below its groove: where the pinned scenario stands.
class MarkedSlider : public QSlider
{
    Q_OBJECT
public:
    explicit MarkedSlider(QWidget* parent = nullptr);

    // In the slider's values; fractions lie between two stops, NaN takes the mark away.
    void setMark(double value);
    double mark() const { return m_mark; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_mark;
};

} // namespace shardscope

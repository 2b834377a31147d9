#pragma once

#include <QFont>
#include <QWidget>

#include "core/scenario/scenario.h"

#include <optional>
#include <vector>

namespace shardscope
{

// The dimensions of a layout as chips, innermost first: dragging one to another place, or ctrl with an arrow
// key, asks for that order of ranks.
class RankOrderStrip : public QWidget
{
    Q_OBJECT
public:
    explicit RankOrderStrip(QWidget* parent = nullptr);

    void setParallel(const Parallel& parallel);
    // The dimensions shown: those of more than one place.
    const std::vector<Dimension>& chips() const { return m_chips; }
    QRectF chipRectangle(std::size_t chip) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void orderWished(const shardscope::RankOrder& order);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    QString textOf(Dimension dimension) const;
    std::optional<std::size_t> chipAt(QPointF point) const;
    // The chip's place in the row if it were dropped there.
    std::size_t placeAt(double x) const;
    void moveChip(std::size_t from, std::size_t to);

    Parallel m_parallel;
    std::vector<Dimension> m_chips;
    std::size_t m_current = 0; // for the keyboard
    std::optional<std::size_t> m_dragged;
    QPointF m_press;
    QPointF m_mouse;
};

} // namespace shardscope

#pragma once

#include <QColor>
#include <QString>
#include <QWidget>

#include <vector>

namespace shardscope
{

// One entry of a legend: a square of colour, or a line, and a word. `id` is the caller's; below 0 it cannot
// be pressed.
struct LegendChip {
    int id = 0;
    QString text;
    QColor colour;
    bool is_off = false;    // hidden by the user: drawn hollow
    bool is_faded = false;  // something else is selected
    bool is_marked = false; // selected
    bool is_striped = false;
    bool is_line = false; // a mark over bars, and no square
    bool is_dashed = false;
    bool operator==(const LegendChip&) const = default;
};

// A compact legend in as many lines as its width needs. With a signal connected it is a row of small buttons,
// for the mouse and for the arrow keys and Space.
class LegendChips : public QWidget
{
    Q_OBJECT
public:
    enum class Use { legend, buttons };
    explicit LegendChips(Use use, QWidget* parent = nullptr);

    void setChips(std::vector<LegendChip> chips);
    const std::vector<LegendChip>& chips() const { return m_chips; }
    // Where a picture is too low for all: what does not fit into so many lines is counted ("+3") and named by
    // the tip.
    void setMostLines(int lines);
    // That all chips take at this width.
    int linesFor(int width) const;
    // Empty for what is only counted.
    QRectF chipRectangle(int index) const;
    // Draws the legend into the top of a rectangle; answers the height that it took.
    double paintTo(QPainter& painter, const QRectF& rectangle) const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void clicked(int id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    // Of the chips that are drawn: all of them, or the first.
    std::vector<QRectF> place(double width) const;
    std::vector<QRectF> placeAll(double width) const;
    void paintRest(QPainter& painter, const std::vector<QRectF>& places) const;
    void tellRest();
    void paintChips(QPainter& painter, const std::vector<QRectF>& places, bool on_screen) const;
    int buttonAt(QPointF point) const;
    void press(int index);

    Use m_use;
    std::vector<LegendChip> m_chips;
    int m_most_lines = 0; // 0: as many as it takes
    int m_hovered = -1;
    int m_focused = 0;
    bool m_has_key_focus = false;
};

} // namespace shardscope

#pragma once

#include <QString>
#include <QWidget>

#include <functional>

namespace shardscope
{

class Theme;

// What one tile of the headline shows.
struct HeadlineValue {
    enum class Judgement : unsigned char { neutral, better, worse };

    QString value;  // "81.2 GiB"
    QString title;  // where it is not the tile's: "Samples/s"
    QString detail; // "fits 74.5 GiB", faint, under the value
    QString change; // against the pinned scenario: "+12.3 %"; empty: none
    Judgement judgement = Judgement::neutral;
    bool wrong = false;  // the value does not fit
    bool warned = false; // it does not, or may not: the detail says why
    bool operator==(const HeadlineValue&) const = default;
};

// "± 10 % (4 of 5): 26.9 s to 32.9 s", "62.6 ms; stage 0: 39.5 %" and "not calibrated, 31.8 s to 102 s" say
// as much without their end; half a figure would be a wrong one.
QString beginningOf(const QString& detail);

// One figure of the headline: its name, its value, its change. Hovering, a click or Space shows how it came
// about.
class HeadlineTile : public QWidget
{
    Q_OBJECT
public:
    explicit HeadlineTile(const QString& title, QWidget* parent = nullptr);

    QString title() const { return m_title; }
    const HeadlineValue& value() const { return m_value; }
    void setValue(const HeadlineValue& value);
    // Asked when the explanation is to be shown.
    void setExplanation(std::function<QString()> explanation) { m_explanation = std::move(explanation); }

    // What a click does; without it, it explains.
    void setAction(std::function<void()> action) { m_action = std::move(action); }

    // What is written under the value at the present width; the whole detail is in the explanation.
    QString shownDetail() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QRect space() const;
    QString changePart() const;
    void paintLastLine(QPainter& painter, const QPoint& place, const Theme& theme) const;
    void explainAt(const QPoint& place);
    QFont valueFont() const;
    QFont smallFont() const;

    QString m_title;
    HeadlineValue m_value;
    bool m_reached_by_key = false; // then the focus is drawn
    std::function<QString()> m_explanation;
    std::function<void()> m_action;
};

} // namespace shardscope

#pragma once

#include <QAbstractButton>

namespace shardscope
{

// One word of a row of words of which one holds; the row looks like one control. Alone: what is on or off.
class SegmentButton : public QAbstractButton
{
    Q_OBJECT
public:
    enum class Place : unsigned char { alone, first, middle, last };
    // Of one of so many.
    static Place placeOf(int index, int count);

    explicit SegmentButton(const QString& text, QWidget* parent = nullptr);

    void setPlace(Place place) { m_place = place; }
    // Written where the whole text has no room; the button never gets too narrow for it.
    void setShortText(const QString& text);
    // What is written at the present width.
    QString shownText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int widthFor(const QString& text) const;

    Place m_place = Place::alone;
    QString m_short_text;
};

} // namespace shardscope

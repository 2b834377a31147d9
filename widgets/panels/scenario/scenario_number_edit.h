#pragma once

#include <QLineEdit>

#include <functional>
#include <optional>
#include <utility>

namespace shardscope
{

// The number that a text means: digits with blanks or commas between thousands, a point or a comma before the
// fraction, products and powers ("8*1024", "2^13", "1e9"). Nothing where it is none, or where a comma may be
// either: "1,024" is 1024 where only a whole number can be meant, and unclear elsewhere.
std::optional<double> parseNumber(const QString& text, bool whole = false);
bool hasUnclearComma(const QString& text);

// Shortest text that reads back as the same number.
QString numberText(double value);

// A line for one number. At rest it shows as many digits as it has room for, while it has the focus all. It
// is wished once it is complete: on Enter, Tab or when the line loses the focus.
class ScenarioNumberEdit : public QLineEdit
{
    Q_OBJECT
public:
    // `whole`: fractions are refused. `mayBeEmpty`: an empty line means NaN, "derived".
    explicit ScenarioNumberEdit(bool whole, bool mayBeEmpty, QWidget* parent = nullptr);

    // Stands inside the line, behind the number.
    void setUnit(const QString& unit);
    void setValue(double value);
    double value() const { return m_value; }
    // Whether the value can stand. Where it cannot, Escape goes back to the last one that could.
    void setPossible(bool is_possible) { m_is_possible = is_possible; }
    // Asked for where a number is too large to be one of any figure: "1 to 10 000"; empty: not known.
    void setAllowed(std::function<QString()> allowed) { m_allowed = std::move(allowed); }

signals:
    void valueWished(double value);
    void stepWished(int direction);        // arrow keys: +1 or -1
    void refused(const QString& sentence); // what was typed is no number; an empty sentence: it is one again

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    QString restingText() const;
    void showValue();
    void goBack();
    double valueOfEscape() const;
    int textRoom() const; // pixels
    void commit();
    QString refusal(const QString& typed, const std::optional<double>& value) const;

    bool m_whole;
    bool m_may_be_empty;
    double m_value = 0.0;
    bool m_is_possible = true;
    std::optional<double> m_last_possible;
    std::function<QString()> m_allowed;
    QString m_unit;
};

} // namespace shardscope

#include "widgets/panels/scenario/scenario_number_edit.h"

#include "widgets/panels/controls/line_keys.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardscope
{

namespace
{

constexpr int unit_margin = 5; // as QLineEdit has

// Above this a double no longer holds every integer.
constexpr double largest_whole = 9007199254740992.0;

// "1,048,576", "1,024.5", "-1,024": commas that stand where thousands end.
bool hasThousands(const QString& number)
{
    static const QRegularExpression thousands{QStringLiteral("^[+-]?[1-9]\\d{0,2}(,\\d{3})+([.eE]|$)")};
    return thousands.match(number).hasMatch();
}

// One comma may end the thousands or begin the fraction, and nothing else in the number tells which.
bool isTwoNumbers(const QString& number)
{
    return hasThousands(number) && number.count(',') == 1 && !number.contains('.');
}

QString withoutGaps(const QString& text)
{
    QString plain;
    for (const QChar character : text)
        if (!character.isSpace() && character != '_')
            plain += character;
    return plain;
}

std::optional<double> parsePlain(QString number, bool whole)
{
    if (!whole && isTwoNumbers(number))
        return std::nullopt;
    if (hasThousands(number))
        number.remove(',');
    else if (!number.contains('.'))
        number.replace(',', '.');
    bool ok = false;
    const double value = number.toDouble(&ok);
    return ok ? std::optional{value} : std::nullopt;
}

std::optional<double> parsePower(const QString& text, bool whole)
{
    const QStringList parts = text.split('^');
    if (parts.size() > 2)
        return std::nullopt;
    const std::optional<double> base = parsePlain(parts[0], whole);
    if (!base || parts.size() == 1)
        return base;
    const std::optional<double> exponent = parsePlain(parts[1], whole);
    return exponent ? std::optional{std::pow(*base, *exponent)} : std::nullopt;
}

QString tooLarge(const QString& typed, const QString& allowed)
{
    return allowed.isEmpty()
               ? ScenarioNumberEdit::tr("“%1” is too large: this must be below 9 · 10¹⁵.").arg(typed)
               : ScenarioNumberEdit::tr("“%1” is too large: choose %2.").arg(typed, allowed);
}

} // namespace

bool hasUnclearComma(const QString& text)
{
    static const QRegularExpression operators{QStringLiteral("[*^]")};
    const QStringList numbers = withoutGaps(text).split(operators);
    return std::any_of(numbers.begin(), numbers.end(), isTwoNumbers);
}

std::optional<double> parseNumber(const QString& text, bool whole)
{
    double product = 1.0;
    for (const QString& factor : withoutGaps(text).split('*')) {
        const std::optional<double> value = parsePower(factor, whole);
        if (!value)
            return std::nullopt;
        product *= *value;
    }
    return std::isfinite(product) ? std::optional{product} : std::nullopt;
}

QString numberText(double value)
{
    if (std::isnan(value))
        return {};
    if (value == std::floor(value) && std::fabs(value) < largest_whole)
        return QString::number(value, 'f', 0);
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

ScenarioNumberEdit::ScenarioNumberEdit(bool whole, bool mayBeEmpty, QWidget* parent)
    : QLineEdit{parent}, m_whole{whole}, m_may_be_empty{mayBeEmpty}
{
    setAlignment(Qt::AlignRight);
    shareKeysWithWindow(*this);
    connect(this, &QLineEdit::editingFinished, this, &ScenarioNumberEdit::commit);
    // Undone by Ctrl+Z or typed back: nothing is left to refuse.
    connect(this, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text == numberText(m_value) || text == restingText())
            emit refused({});
    });
}

void ScenarioNumberEdit::setUnit(const QString& unit)
{
    m_unit = unit;
    setTextMargins(0, 0, fontMetrics().horizontalAdvance(' ' + unit), 0);
}

// Of a fitted constant "0.07987492835" its first digits: cut by the field's end they would be another number.
QString ScenarioNumberEdit::restingText() const
{
    constexpr int digits = 4;
    const QString whole = numberText(m_value);
    const bool is_cut = fontMetrics().horizontalAdvance(whole + ' ' + m_unit) > textRoom();
    if (!is_cut || m_value == std::floor(m_value))
        return whole;
    return numberText(QString::number(m_value, 'g', digits).toDouble());
}

void ScenarioNumberEdit::showValue()
{
    setText(hasFocus() ? numberText(m_value) : restingText());
    setCursorPosition(0);
}

// Whoever edits begins from the whole number.
void ScenarioNumberEdit::focusInEvent(QFocusEvent* event)
{
    if (!isModified() && text() != numberText(m_value))
        setText(numberText(m_value));
    QLineEdit::focusInEvent(event);
}

void ScenarioNumberEdit::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (!isModified() && text() != restingText())
        showValue();
}

void ScenarioNumberEdit::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    if (m_unit.isEmpty() || text().isEmpty()) // a word stands in place of a number
        return;
    QPainter painter{this};
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(0, 0, -unit_margin, 0), Qt::AlignRight | Qt::AlignVCenter, m_unit);
}

void ScenarioNumberEdit::setValue(double value)
{
    const bool same = value == m_value || (std::isnan(value) && std::isnan(m_value));
    if (same && !text().isEmpty() && !isModified())
        return;
    if (!same && m_is_possible)
        m_last_possible = m_value;
    m_value = value;
    showValue();
    emit refused({});
}

double ScenarioNumberEdit::valueOfEscape() const
{
    return m_is_possible ? m_value : m_last_possible.value_or(m_value);
}

// Why what was typed is not taken.
QString ScenarioNumberEdit::refusal(const QString& typed, const std::optional<double>& value) const
{
    if (!value && typed.isEmpty())
        return tr("%1 is empty: type a number, or press Escape for %2.")
            .arg(accessibleName(), numberText(valueOfEscape()));
    if (!value && hasUnclearComma(typed))
        return tr("“%1” has a comma that may end the thousands or begin a fraction: leave it out, or type a "
                  "point.")
            .arg(typed);
    if (!value)
        return tr("“%1” is not a number: type digits, a product such as 8*1024, or a power such as 2^13.")
            .arg(typed);
    if (std::isnan(*value)) // left empty
        return {};
    if (m_whole && std::fabs(*value) >= largest_whole)
        return tooLarge(typed, m_allowed ? m_allowed() : QString{});
    if (m_whole && *value != std::floor(*value))
        return tr("“%1” has a fraction: this must be a whole number.").arg(typed);
    return {};
}

void ScenarioNumberEdit::commit()
{
    if (!isModified())
        return;
    const QString typed = text().trimmed();
    std::optional<double> value = parseNumber(typed, m_whole);
    if (typed.isEmpty() && m_may_be_empty)
        value = std::numeric_limits<double>::quiet_NaN();
    if (const QString why_not = refusal(typed, value); !why_not.isEmpty()) {
        emit refused(why_not);
        return;
    }
    setModified(false);
    emit refused({});
    emit valueWished(*value);
}

void ScenarioNumberEdit::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
        commit();
        emit stepWished(event->key() == Qt::Key_Up ? 1 : -1);
        return;
    }
    const bool has_other = !m_is_possible && valueOfEscape() != m_value;
    if (event->key() == Qt::Key_Escape && (isModified() || has_other))
        return goBack();
    QLineEdit::keyPressEvent(event);
}

void ScenarioNumberEdit::goBack()
{
    const double value = valueOfEscape();
    showValue();
    setModified(false);
    emit refused({});
    if (value != m_value && !std::isnan(m_value))
        emit valueWished(value);
}

// Ten digits and a short unit, the same for all: fields stand below each other.
int ScenarioNumberEdit::textRoom() const
{
    return fontMetrics().horizontalAdvance("0000000000 B");
}

QSize ScenarioNumberEdit::sizeHint() const
{
    return {textRoom() + 8, QLineEdit::sizeHint().height()};
}

} // namespace shardscope

#pragma once

#include <QAbstractButton>
#include <QComboBox>

#include <type_traits>

// Controls as their user finds them, so that tests need no second way in.
namespace shardscope
{

// The control that a screen reader calls by this name.
template<class Control>
Control& controlOf(const QWidget& window, const QString& name)
{
    for (Control* each : window.findChildren<Control*>()) {
        if (each->accessibleName() == name)
            return *each;
        if constexpr (std::is_base_of_v<QAbstractButton, Control>)
            if (each->text() == name)
                return *each;
    }
    qFatal("no control is called %s", qPrintable(name));
}

// Chooses a line as a user does, whom a box tells apart from the program.
inline void choose(QComboBox& box, int line)
{
    if (line < 0 || line >= box.count())
        qFatal("there is no line %d in %s", line, qPrintable(box.accessibleName()));
    box.setCurrentIndex(line);
    emit box.activated(line);
}

inline void choose(QComboBox& box, const QString& text)
{
    choose(box, box.findText(text));
}

} // namespace shardscope

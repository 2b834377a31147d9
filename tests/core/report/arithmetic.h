#pragma once

#include <QByteArray>
#include <QString>

#include <algorithm>
#include <cmath>
#include <cstdlib>

// Works out "8 * (14 + 2) / max(0, 4 - 1)": numbers with or without a unit of time, size, rate or operations,
// + - * / ^ ( ), max(a, b) and min(a, b). NaN for anything else.
class Arithmetic
{
public:
    static double value(const QString& expression)
    {
        Arithmetic arithmetic{expression.toUtf8()};
        const double result = arithmetic.sum();
        return arithmetic.m_place == arithmetic.m_text.size() ? result : std::nan("");
    }

private:
    explicit Arithmetic(QByteArray text) : m_text{text.replace(" ", "")} {}

    bool take(const char* token)
    {
        if (!m_text.mid(m_place).startsWith(token))
            return false;
        m_place += static_cast<int>(qstrlen(token));
        return true;
    }

    double sum()
    {
        double result = product();
        for (;;) {
            if (take("+"))
                result += product();
            else if (take("-"))
                result -= product();
            else
                return result;
        }
    }

    double product()
    {
        double result = power();
        for (;;) {
            if (take("*"))
                result *= power();
            else if (take("/"))
                result /= power();
            else
                return result;
        }
    }

    double power()
    {
        const double base = atom();
        return take("^") ? std::pow(base, atom()) : base;
    }

    double atom()
    {
        const bool is_max = take("max(");
        if (is_max || take("min(")) {
            const double first = sum();
            const bool comma = take(",");
            const double second = sum();
            const double chosen = is_max ? std::max(first, second) : std::min(first, second);
            return comma && take(")") ? chosen : std::nan("");
        }
        if (take("(")) {
            const double inside = sum();
            return take(")") ? inside : std::nan("");
        }
        const char* start = m_text.constData() + m_place;
        char* end = nullptr;
        const double number = std::strtod(start, &end);
        m_place += static_cast<int>(end - start);
        return end == start ? std::nan("") : number * unit();
    }

    double unit()
    {
        constexpr const char* binary[]{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        double size = 1.0;
        for (const char* name : binary) {
            size *= 1024.0;
            if (take(name))
                return size;
        }
        if (take("GB/s"))
            return 1e9;
        if (take("TFLOP/s"))
            return 1e12;
        constexpr const char* operations[]{"GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP", "YFLOP"};
        double count = 1e6;
        for (const char* name : operations) {
            count *= 1e3;
            if (take(name))
                return count;
        }
        if (take("B"))
            return 1.0;
        return take("ms") ? 1e-3 : take("\u00b5s") ? 1e-6 : take("ns") ? 1e-9 : take("s") ? 1.0 : 1.0;
    }

    QByteArray m_text;
    int m_place = 0;
};

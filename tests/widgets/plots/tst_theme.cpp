#include "widgets/plots/theme.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace shardscope;

static QPalette paletteOn(const QColor& window)
{
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    return palette;
}

static double luminance(const QColor& colour)
{
    const auto linear = [](double v) {
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF())
           + 0.0722 * linear(colour.blueF());
}

static double contrast(const QColor& a, const QColor& b)
{
    const double low = std::min(luminance(a), luminance(b));
    const double high = std::max(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

class TestTheme : public QObject
{
    Q_OBJECT
private slots:
    void theWindowsColourTellsLightFromDark()
    {
        QVERIFY(!Theme{paletteOn(Qt::white)}.isDark());
        QVERIFY(Theme{paletteOn(QColor{40, 40, 44})}.isDark());
    }

    void everyKindHasAColourOfItsOwn()
    {
        for (const QColor window : {QColor{Qt::white}, QColor{40, 40, 44}}) {
            const Theme theme{paletteOn(window)};
            for (int a = 0; a < kind_count; ++a)
                for (int b = 0; b < a; ++b)
                    QVERIFY(theme.colour(static_cast<Kind>(a)) != theme.colour(static_cast<Kind>(b)));
        }
    }

    // WCAG 2.1: 4.5 for text.
    void textReadsOnEveryColour()
    {
        for (const QColor window : {QColor{Qt::white}, QColor{40, 40, 44}}) {
            const Theme theme{paletteOn(window)};
            QVERIFY(contrast(theme.text(), theme.background()) >= 7.0);
            QVERIFY(contrast(theme.faintText(), theme.background()) >= 4.5);
            for (int i = 0; i <= static_cast<int>(Hue::elementwise); ++i) {
                const QColor ground = theme.colour(static_cast<Hue>(i));
                QVERIFY2(contrast(theme.textOn(ground), ground) >= 4.5, qPrintable(ground.name()));
            }
        }
    }

    // Told apart by lightness alone, as whoever sees no colours does.
    void whatComputeIsMadeOfDiffersInLightness()
    {
        for (const QColor window : {QColor{Qt::white}, QColor{40, 40, 44}}) {
            const Theme theme{paletteOn(window)};
            const std::array hues{Hue::matrix, Hue::attention, Hue::compute, Hue::reduction,
                                  Hue::elementwise};
            for (std::size_t i = 1; i < hues.size(); ++i) {
                const double step = contrast(theme.colour(hues[i - 1]), theme.colour(hues[i]));
                QVERIFY2(step >= 1.3, qPrintable(QString::number(step)));
                QVERIFY(contrast(theme.colour(hues[i]), theme.background())
                        < contrast(theme.colour(hues[i - 1]), theme.background()));
            }
        }
    }

    // As above: they stand beside each other in the bars of time.
    void partsOfAnIterationWithLikeHuesDifferInLightness_data()
    {
        QTest::addColumn<Hue>("one");
        QTest::addColumn<Hue>("other");
        QTest::newRow("step and bubble") << Hue::step << Hue::bubble;
        QTest::newRow("step and pp") << Hue::step << Hue::pp;
        QTest::newRow("step and idle") << Hue::step << Hue::idle;
    }
    void partsOfAnIterationWithLikeHuesDifferInLightness()
    {
        QFETCH(Hue, one);
        QFETCH(Hue, other);
        for (const QColor window : {QColor{Qt::white}, QColor{40, 40, 44}}) {
            const Theme theme{paletteOn(window)};
            const double step = contrast(theme.colour(one), theme.colour(other));
            QVERIFY2(step >= 1.5, qPrintable(QString::number(step)));
        }
    }

    void whatIsFadedIsNearTheBackground()
    {
        const Theme theme{paletteOn(Qt::white)};
        const QColor tp = theme.colour(Kind::tp);
        QVERIFY(contrast(theme.faded(tp), theme.background())
                < contrast(theme.dimmed(tp), theme.background()));
        QVERIFY(contrast(theme.dimmed(tp), theme.background()) < contrast(tp, theme.background()));
        QCOMPARE(theme.faded(tp).alpha(), 255);
    }
};

QTEST_APPLESS_MAIN(TestTheme)
#include "tst_theme.moc"

#include <QTest>

#include <QColor>

#include "widgets/plots/heat_colours.h"

using namespace shardscope;

namespace
{

// CIE L* of an sRGB colour (IEC 61966-2-1, CIE 15): another measure of lightness than the one the colours are
// made by.
double lightnessOf(QRgb colour)
{
    const auto linear = [](int value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) + 0.0722 * linear(qBlue(colour));
    return y <= 216.0 / 24389.0 ? y * 24389.0 / 27.0 : 116.0 * std::cbrt(y) - 16.0;
}

} // namespace

class TestHeatColours : public QObject
{
    Q_OBJECT
private slots:
    void greyAndWhiteComeOutAsTheyAre_data()
    {
        // The example pairs of Ottosson's article: OKLab (1, 0, 0) is white, (0, 0, 0) black.
        QTest::addColumn<double>("lightness");
        QTest::addColumn<QColor>("colour");
        QTest::newRow("white") << 1.0 << QColor(255, 255, 255);
        QTest::newRow("black") << 0.0 << QColor(0, 0, 0);
    }
    void greyAndWhiteComeOutAsTheyAre()
    {
        QFETCH(double, lightness);
        QTEST(QColor::fromRgb(oklch(lightness, 0.0, 0.0)), "colour");
    }

    void sequentialColoursOnlyEverDarkenOrBrighten_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("on light") << false;
        QTest::newRow("on dark") << true;
    }
    void sequentialColoursOnlyEverDarkenOrBrighten()
    {
        QFETCH(bool, dark);
        const HeatColours& colours = sequentialColours(dark);
        for (std::size_t i = 16; i < colours.size(); i += 16) {
            const double step = lightnessOf(colours[i]) - lightnessOf(colours[i - 16]);
            QVERIFY2((dark ? step : -step) > 2.0, qPrintable(QString::number(i)));
            QVERIFY2((dark ? step : -step) < 7.0, qPrintable(QString::number(i)));
        }
    }

    void divergingColoursAreGreyInTheMiddle()
    {
        const QColor middle = QColor::fromRgb(divergingColours(false)[128]);
        QVERIFY(middle.saturation() < 8);
        const QColor less = QColor::fromRgb(divergingColours(false)[0]);
        const QColor more = QColor::fromRgb(divergingColours(false)[255]);
        QVERIFY(less.blue() > less.red());
        QVERIFY(more.red() > more.blue());
    }

    void valuesFindTheirColour_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<bool>("logarithmic");
        QTest::addColumn<bool>("diverging");
        QTest::addColumn<int>("colour");
        QTest::newRow("least, log") << 1.0 << true << false << 0;
        QTest::newRow("geometric middle, log") << 32.0 << true << false << 128;
        QTest::newRow("most, log") << 1024.0 << true << false << 255;
        QTest::newRow("half, linear") << 512.0 << false << false << 128;
        QTest::newRow("no difference") << 0.0 << true << true << 128;
        QTest::newRow("all less") << -1024.0 << true << true << 0;
        QTest::newRow("all more") << 1024.0 << false << true << 255;
        QTest::newRow("the smallest difference is seen") << 1e-9 << false << true << 129;
    }
    void valuesFindTheirColour()
    {
        QFETCH(double, value);
        QFETCH(bool, logarithmic);
        QFETCH(bool, diverging);
        const HeatSpan span{1.0, 1024.0, diverging, logarithmic ? HeatScale::logarithmic : HeatScale::linear};
        QTEST(span.colourOf(value), "colour");
    }

    void theColourBarReadsBackValues()
    {
        for (const HeatScale scale : {HeatScale::linear, HeatScale::logarithmic})
            for (const bool diverging : {false, true}) {
                const HeatSpan span{4.0, 65536.0, diverging, scale};
                for (const double place : {0.0, 0.2, 0.5, 0.9, 1.0})
                    QVERIFY(qAbs(span.placeOf(span.valueAt(place)) - place) < 1e-9);
            }
    }

    void oneSizeIsTheMost()
    {
        const HeatSpan span{8.0, 8.0, false, HeatScale::logarithmic};
        QCOMPARE(span.colourOf(8.0), 255);
    }
};

QTEST_APPLESS_MAIN(TestHeatColours)
#include "tst_heat_colours.moc"

#include <QTest>

#include "widgets/plots/timeline/strip_painting.h"
#include "widgets/plots/timeline/strip_pixels.h"

#include <QImage>
#include <QPainter>
#include <QPalette>

using namespace shardscope;

namespace
{

constexpr int width = 40;
constexpr auto tp = paintOf(Kind::tp);

TimelineStyle styleOf(bool dark)
{
    QPalette palette;
    palette.setColor(QPalette::Base, dark ? QColor{30, 30, 30} : QColor{Qt::white});
    palette.setColor(QPalette::Window, dark ? QColor{30, 30, 30} : QColor{Qt::white});
    palette.setColor(QPalette::Text, dark ? Qt::white : Qt::black);
    palette.setColor(QPalette::WindowText, dark ? Qt::white : Qt::black);
    const Theme theme{palette};
    return {theme, {}, laneColours(theme, std::nullopt), 1.0};
}

// A strip whose columns all have these shares.
LaneStrip stripOf(int height, std::initializer_list<std::pair<LanePaint, double>> shares)
{
    LaneStrip strip;
    strip.height = height;
    strip.picture.columns.clear(width);
    for (const auto& [paint, share] : shares)
        for (std::size_t column = 0; column < width; ++column)
            strip.picture.columns.add(column, static_cast<int>(share * LaneColumns::whole), paint);
    return strip;
}

QImage imageOf(const LaneStrip& strip, const TimelineStyle& style)
{
    QImage image{width, strip.height, QImage::Format_RGB32};
    fillStrips(image, {image.rect(), 0}, {strip}, {}, style);
    return image;
}

// How much of the colour there is in a column, in pixels, by its distance from the ground.
double inkIn(const QImage& image, int x, QRgb ground, QRgb colour)
{
    const auto away = [&](QRgb one) {
        return std::abs(qRed(one) - qRed(ground)) + std::abs(qGreen(one) - qGreen(ground))
               + std::abs(qBlue(one) - qBlue(ground));
    };
    double ink = 0.0;
    for (int y = 0; y < image.height(); ++y)
        ink += static_cast<double>(away(image.pixel(x, y))) / away(colour);
    return ink;
}

} // namespace

class TestStripPainting : public QObject
{
    Q_OBJECT
private slots:
    void paintsStandOnEachOtherByTheirShares()
    {
        const TimelineStyle style = styleOf(false);
        const StripColours colours{style};
        const auto of = [&](LanePaint paint) { return colours.solid[static_cast<std::size_t>(paint)]; };
        const QImage image =
            imageOf(stripOf(20, {{LanePaint::forward, 0.25}, {LanePaint::backward, 0.5}}), style);
        for (int y = 0; y < 20; ++y)
            QCOMPARE(image.pixel(7, y), y < 5    ? colours.ground
                                        : y < 15 ? of(LanePaint::backward)
                                                 : of(LanePaint::forward));
    }

    void aPixelOnAnEdgeHasPartsOfBoth()
    {
        const TimelineStyle style = styleOf(false);
        const StripColours colours{style};
        const auto of = [&](LanePaint paint) { return colours.solid[static_cast<std::size_t>(paint)]; };
        const QImage image =
            imageOf(stripOf(10, {{LanePaint::forward, 0.45}, {LanePaint::backward, 0.55}}), style);
        const QRgb edge = image.pixel(7, 5);
        QVERIFY(edge != of(LanePaint::forward) && edge != of(LanePaint::backward));
        QCOMPARE(image.pixel(7, 4), of(LanePaint::backward));
        QCOMPARE(image.pixel(7, 6), of(LanePaint::forward));
    }

    void aColumnOfOnePaintIsItsColourAllOver()
    {
        const TimelineStyle style = styleOf(true);
        const QImage image = imageOf(stripOf(12, {{tp, 1.0}}), style);
        for (int y = 0; y < 12; ++y)
            QCOMPARE(image.pixel(3, y), StripColours{style}.solid[static_cast<std::size_t>(tp)]);
    }

    // However little there is, it is seen; and it is seen which of two is less.
    void littleIsFaintAndYetThere_data()
    {
        QTest::addColumn<int>("height");
        QTest::addColumn<bool>("dark");
        for (const int height : {4, 9, 24})
            for (const bool dark : {false, true})
                QTest::addRow("%d lines, %s", height, dark ? "dark" : "light") << height << dark;
    }
    void littleIsFaintAndYetThere()
    {
        QFETCH(int, height);
        QFETCH(bool, dark);
        const TimelineStyle style = styleOf(dark);
        const StripColours colours{style};
        const auto ink = [&](double share) {
            return inkIn(imageOf(stripOf(height, {{tp, share}}), style), 5, colours.ground,
                         colours.solid[static_cast<std::size_t>(tp)]);
        };
        double last = 0.25;
        for (const double share : {0.001, 0.03, 0.1, 0.35, 0.7, 1.0}) {
            QVERIFY2(ink(share) > 1.15 * last,
                     qPrintable(QStringLiteral("%1: %2 after %3").arg(share).arg(ink(share)).arg(last)));
            last = ink(share);
        }
    }

    void moreThanFitsIsShownByItsShares()
    {
        const TimelineStyle style = styleOf(false);
        const StripColours colours{style};
        const QImage image = imageOf(stripOf(20, {{LanePaint::matrix, 0.8}, {tp, 0.8}}), style);
        QCOMPARE(image.pixel(0, 9), colours.solid[static_cast<std::size_t>(tp)]);
        QCOMPARE(image.pixel(0, 10), colours.solid[static_cast<std::size_t>(LanePaint::matrix)]);
    }

    void whatIsHiddenIsStriped_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void whatIsHiddenIsStriped()
    {
        QFETCH(bool, dark);
        const TimelineStyle style = styleOf(dark);
        const StripColours colours{style};
        for (const double share : {0.2, 1.0}) {
            LaneStrip strip = stripOf(10, {{tp, share}});
            strip.is_hidden = true;
            const QImage image = imageOf(strip, style);
            int solid = 0;
            int dimmed = 0;
            for (int x = 0; x < 35; ++x) {
                solid += image.pixel(x, 9) == colours.solid[static_cast<std::size_t>(tp)];
                dimmed += image.pixel(x, 9) == colours.dimmed[static_cast<std::size_t>(tp)];
            }
            QCOMPARE(solid, 15);
            QCOMPARE(dimmed, 20);
        }
    }

    void rectanglesOfADocumentShowTheSame()
    {
        const TimelineStyle style = styleOf(false);
        const LaneStrip strip = stripOf(20, {{LanePaint::forward, 0.25}, {LanePaint::backward, 0.5}});
        QImage image{width, 20, QImage::Format_RGB32};
        image.fill(style.theme.background());
        {
            QPainter painter{&image};
            fillStrips(painter, {image.rect(), 0}, {strip}, {}, style);
        }
        QCOMPARE(image, imageOf(strip, style));
    }

    // Scrolled: the upper lines of a strip are above the lanes.
    void aStripIsCutAtTheEdgeOfTheLanes()
    {
        const TimelineStyle style = styleOf(false);
        const LaneStrip strip = stripOf(20, {{LanePaint::forward, 0.25}, {LanePaint::backward, 0.5}});
        QImage image{width, 12, QImage::Format_RGB32};
        fillStrips(image, {image.rect(), 8}, {strip}, {}, style);
        QCOMPARE(image, imageOf(strip, style).copy(0, 8, width, 12));
    }
};

QTEST_MAIN(TestStripPainting)
#include "tst_strip_painting.moc"

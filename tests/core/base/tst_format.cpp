#include <QTest>

#include "core/base/format.h"
#include "core/base/format_alike.h"

using namespace shardscope;

class TestFormat : public QObject
{
    Q_OBJECT
private slots:
    void bytesUsePowersOf1024_data()
    {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing") << 0.0 << "0 B";
        QTest::newRow("one float") << 4.0 << "4 B";
        QTest::newRow("a mean of bytes") << 7.9375 << "8 B";
        QTest::newRow("fewer of them") << -7.9375 << "-8 B";
        QTest::newRow("a message of Li et al., Table 3") << 131072000.0 << "125 MiB";
        QTest::newRow("its gradients") << 777492000.0 << "741 MiB";
        QTest::newRow("just below the next unit") << 1023.9 * 1024 << "1 MiB";
    }
    void bytesUsePowersOf1024()
    {
        QFETCH(double, bytes);
        QTEST(QString::fromStdString(formatBytes(bytes)), "text");
    }

    void secondsPickTheirUnit_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0 s";
        QTest::newRow("microseconds") << 4.2e-6 << "4.2 µs";
        QTest::newRow("milliseconds") << 0.0123 << "12.3 ms";
        QTest::newRow("seconds") << 1.2344 << "1.234 s";
        QTest::newRow("minutes stay seconds") << 7199.0 << "7199 s";
        QTest::newRow("hours") << 56501.0 << "15.7 h";
        QTest::newRow("not a number") << std::nan("") << "–";
    }
    void secondsPickTheirUnit()
    {
        QFETCH(double, seconds);
        QTEST(QString::fromStdString(formatSeconds(seconds)), "text");
    }

    void endsOfARangeHaveOneUnit()
    {
        const auto ends = [](double low, double high) {
            const auto texts = formatSecondsAlike(low, high);
            return QString::fromStdString(texts[0] + " to " + texts[1]);
        };
        QCOMPARE(ends(5118.0, 11128.0), QString{"1.422 h to 3.091 h"});
        QCOMPARE(ends(0.85, 1.2), QString{"0.85 s to 1.2 s"});
        QCOMPARE(ends(26.1, 33.4), QString{"26.1 s to 33.4 s"});
        QCOMPARE(ends(0.0, 0.0), QString{"0 s to 0 s"});
    }

    void changesBearTheirSign_data()
    {
        QTest::addColumn<double>("change");
        QTest::addColumn<QString>("text");
        QTest::newRow("more") << 0.1234 << "+12.3 %";
        QTest::newRow("less") << -0.0049 << "-0.5 %";
        QTest::newRow("nothing that is seen") << -0.0004 << "0.0 %";
        QTest::newRow("not a number") << std::nan("") << "–";
    }
    void changesBearTheirSign()
    {
        QFETCH(double, change);
        QTEST(QString::fromStdString(formatChange(change)), "text");
    }

    void plainNumbersAreThoseOfPrintf()
    {
        QCOMPARE(formatPlain(0.25, 6), std::string{"0.25"});
        QCOMPARE(formatPlain(1e9, 4), std::string{"1e+09"});
        QCOMPARE(formatPlain(1234.5678, 6), std::string{"1234.57"});
        QCOMPARE(formatFixed(12.5, 2), std::string{"12.50"});
        QCOMPARE(formatTrimmed(12.5, 2), std::string{"12.5"});
        QCOMPARE(formatTrimmed(100.0, 0), std::string{"100"});
        QCOMPARE(formatFixed(1e300, 0).size(), std::size_t{301});
    }

    void thousandsAreGrouped()
    {
        QCOMPARE(QString::fromStdString(formatGrouped(2695970000)), QStringLiteral("2 695 970 000"));
        QCOMPARE(QString::fromStdString(formatGrouped(-1234)), QStringLiteral("-1 234"));
        QCOMPARE(QString::fromStdString(formatGrouped(680)), QStringLiteral("680"));
    }
};

QTEST_APPLESS_MAIN(TestFormat)
#include "tst_format.moc"

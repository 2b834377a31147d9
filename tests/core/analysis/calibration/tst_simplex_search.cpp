#include <QTest>

#include "core/analysis/calibration/simplex_search.h"

#include <cmath>

using namespace shardscope;

class TestSimplexSearch : public QObject
{
    Q_OBJECT
private slots:
    // Rosenbrock's valley has its one minimum at (1, 1).
    void theEndOfABentValleyIsFound()
    {
        const auto valley = [](const std::vector<double>& at) {
            return 100 * std::pow(at[1] - at[0] * at[0], 2) + std::pow(1 - at[0], 2);
        };
        const std::vector<double> found = simplexSearch({0.3, 3.0}, valley, 2000);
        QVERIFY(std::abs(found[0] - 1) < 1e-3);
        QVERIFY(std::abs(found[1] - 1) < 1e-3);
    }

    void valuesOfDifferentSizeAreFound()
    {
        const auto loss = [](const std::vector<double>& at) {
            return std::abs(std::log(at[0] / 1e-6)) + std::abs(std::log(at[1] / 4e3));
        };
        const std::vector<double> found = simplexSearch({1e-3, 1.0}, loss, 2000);
        QVERIFY(std::abs(found[0] / 1e-6 - 1) < 1e-3);
        QVERIFY(std::abs(found[1] / 4e3 - 1) < 1e-3);
    }

    void nothingToMoveStaysNothing()
    {
        QVERIFY(simplexSearch(
                    {}, [](const std::vector<double>&) { return 1.0; }, 100)
                    .empty());
    }
};

QTEST_APPLESS_MAIN(TestSimplexSearch)
#include "tst_simplex_search.moc"

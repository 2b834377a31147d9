#include <QTest>

#include "widgets/panels/scenario/scenario_figures.h"

#include "core/scenario/scenario_fields.h"

#include <variant>

using namespace shardscope;

namespace
{

// Collects "model.layers", "cluster.intra_node.kind", ... of everything that has a key of its own in the
// format.
struct KeyCollector {
    QString prefix;
    QStringList& keys;

    template<class T>
    void operator()(const char* key, T& value)
    {
        if constexpr (requires { Fields<std::remove_const_t<T>>::visit(*this, value); }) {
            KeyCollector inner{prefix + key + '.', keys};
            Fields<std::remove_const_t<T>>::visit(inner, value);
        } else {
            keys << prefix + key;
        }
    }
};

QStringList keysOfControls()
{
    QStringList keys;
    for (const auto& sections : {everydaySections(), advancedSections()})
        for (const ScenarioSection& section : sections)
            for (const ScenarioControl& control : section.controls)
                keys << std::visit([](const auto& each) { return QString{each.figure.key}; }, control);
    return keys;
}

} // namespace

class TestScenarioFigures : public QObject
{
    Q_OBJECT
private slots:
    void everyKeyOfTheFormatCanBeMoved()
    {
        // The version is no figure; presets have their lists; a list of tensors comes from a preset or a
        // file; whether a cluster is calibrated is the preset's to say, and so are the constants of the
        // detailed time model; a fit says what it fitted.
        const QStringList elsewhere{
            "shardscope",        "model.preset",          "model.kind",
            "model.tensors",     "cluster.preset",        "cluster.calibrated",
            "cluster.fitted_mu", "cluster.scale_up_gpus", "conventions.operator_traffic"};
        QStringList keys;
        KeyCollector collector{{}, keys};
        const Scenario scenario;
        Fields<Scenario>::visit(collector, scenario);
        QVERIFY(keys.size() > 60);
        const QStringList movable = keysOfControls();
        for (const QString& key : keys) {
            if (!elsewhere.contains(key) && !key.startsWith("cluster.compute")
                && !key.startsWith("cluster.collectives"))
                QVERIFY2(movable.contains(key), qPrintable(key));
        }
    }

    void noTwoRowsOfASectionAreNamedAlike()
    {
        for (const ScenarioSection& section : advancedSections()) {
            QStringList labels;
            for (const ScenarioControl& control : section.controls)
                labels << std::visit([](const auto& each) { return QString::fromUtf8(each.figure.label); },
                                     control);
            QCOMPARE(labels.removeDuplicates(), qsizetype{0});
        }
    }
};

QTEST_APPLESS_MAIN(TestScenarioFigures)
#include "tst_scenario_figures.moc"

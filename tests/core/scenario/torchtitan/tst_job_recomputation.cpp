#include <QTest>

#include "core/scenario/recomputation_words.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

namespace
{

// Of 32 layers.
Scenario jobOf8B(const QByteArray& more)
{
    const QByteArray job = "[model]\nflavor = \"8B\"\n" + more;
    const auto reading = readScenario(job.toStdString(), shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

} // namespace

// torchtitan's [activation_checkpoint].
class TestJobRecomputation : public QObject
{
    Q_OBJECT
private slots:
    void whatIsRecomputedIsRead_data()
    {
        QTest::addColumn<QByteArray>("checkpoint");
        QTest::addColumn<QString>("recomputation");
        const auto row = [](const char* name, const char* checkpoint, const char* recomputation) {
            QTest::newRow(name) << QByteArray{"\n[activation_checkpoint]\n"} + checkpoint
                                << QString{recomputation};
        };
        row("nothing", "mode = \"none\"", "no recomputation");
        row("all layers", "mode = \"full\"", "full recomputation");
        row("products", "mode = \"selective\"\nselective_ac_option = \"op\"", "selective recomputation");
        row("every layer", "mode = \"selective\"\nselective_ac_option = \"1\"", "full recomputation");
        row("every third layer", "mode = \"selective\"\nselective_ac_option = \"3\"",
            "recomputation of 10 layers a stage");
        row("of stages",
            "mode = \"selective\"\nselective_ac_option = \"2\"\n[parallelism]\n"
            "pipeline_parallel_degree = 4",
            "recomputation of 4 layers a stage");
        row("of virtual stages",
            "mode = \"selective\"\nselective_ac_option = \"2\"\n[parallelism]\n"
            "pipeline_parallel_degree = 4\npipeline_parallel_schedule = "
            "\"Interleaved1F1B\"",
            "recomputation of 2 layers a virtual stage");
        row("more layers than a stage has",
            "mode = \"selective\"\nselective_ac_option = \"16\"\n"
            "[parallelism]\npipeline_parallel_degree = 4",
            "no recomputation");
        row("every layer by 0", "mode = \"selective\"\nselective_ac_option = \"0\"", "full recomputation");
        row("more layers than there are", "mode = \"selective\"\nselective_ac_option = \"64\"",
            "no recomputation");
    }
    void whatIsRecomputedIsRead()
    {
        QFETCH(QByteArray, checkpoint);
        QFETCH(QString, recomputation);
        const Scenario scenario = jobOf8B(checkpoint);
        QCOMPARE(QString::fromStdString(recomputationWords(scenario)), recomputation);
    }
};

QTEST_APPLESS_MAIN(TestJobRecomputation)
#include "tst_job_recomputation.moc"

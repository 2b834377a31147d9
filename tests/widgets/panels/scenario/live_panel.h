#pragma once

#include <QSlider>
#include <QTest>
#include <QToolButton>

#include "tests/widgets/control_of.h"
#include "widgets/panels/scenario/scenario_number_edit.h"
#include "widgets/panels/scenario/scenario_panel.h"
#include "widgets/panels/scenario/scenario_row.h"

#include "core/scenario/presets.h"

namespace shardscope
{

// A panel whose wishes come true at once, as the session makes them.
struct LivePanel {
    explicit LivePanel(const Scenario& scenario)
    {
        panel.setScenario(scenario);
        QObject::connect(&panel, &ScenarioPanel::scenarioWished, &panel,
                         [this](const Scenario& wished, const QString& gesture, int drag_id) {
                             current = wished;
                             gestures << gesture;
                             drags << drag_id;
                             panel.setScenario(wished);
                         });
        panel.resize(330, 800);
        panel.show();
    }
    QSlider& slider(const char* key) { return *panel.row(key)->findChild<QSlider*>(); }
    ScenarioNumberEdit& edit(const char* key) { return *panel.row(key)->findChild<ScenarioNumberEdit*>(); }
    void lockWorld() { controlOf<QToolButton>(panel, "Lock the number of GPUs").click(); }
    void type(const char* key, const QString& text)
    {
        edit(key).selectAll();
        QTest::keyClicks(&edit(key), text);
        QTest::keyClick(&edit(key), Qt::Key_Return);
    }

    Presets presets;
    ScenarioPanel panel{presets};
    Scenario current;
    QStringList gestures;
    QList<int> drags;
};

inline Scenario scenarioOf(std::int64_t p, std::int64_t t, std::int64_t d)
{
    Scenario scenario;
    scenario.parallel.pipeline = p;
    scenario.parallel.tensor = t;
    scenario.parallel.data = d;
    return scenario;
}

} // namespace shardscope

#pragma once

#include "tests/widgets/control_of.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/sweep/sweep_panel.h"

#include <QLineEdit>

// What a user chooses in the picture of sweeps.
namespace shardscope
{

inline void chooseStudy(SweepPanel& panel, const QString& key)
{
    auto& box = controlOf<QComboBox>(panel, "The question");
    choose(box, box.findData(key));
}

inline void chooseQuantity(SweepPanel& panel, SweepQuantity quantity)
{
    choose(controlOf<QComboBox>(panel, "What is drawn"), quantityName(quantity));
}

inline void chooseMap(SweepPanel& panel, SweepAxis x, SweepAxis y, MapModel model)
{
    chooseStudy(panel, "map");
    for (const auto& [name, axis] : {std::pair{"Along", x}, {"Up", y}}) {
        auto& box = controlOf<QComboBox>(panel, name);
        choose(box, box.findData(static_cast<int>(axis)));
    }
    controlOf<SegmentButton>(panel, "detailed").setChecked(model == MapModel::detailed);
}

// "64 7.1, 128 13.4": measured speedups, or throughputs in any unit.
inline void giveSpeedups(SweepPanel& panel, const QString& text)
{
    controlOf<QLineEdit>(panel, "Measured speedups").setText(text);
}

} // namespace shardscope

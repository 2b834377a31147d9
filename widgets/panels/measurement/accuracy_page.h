#pragma once

#include "core/scenario/scenario.h"
#include "widgets/plots/axis_ticks.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace shardscope
{

// What a point belongs to under one way to group; groups stand by `order`, then by name.
struct AccuracyGroup {
    int order = 0;
    QString name;

    bool operator<(const AccuracyGroup& other) const
    {
        return order != other.order ? order < other.order : name < other.name;
    }
};

// A published figure and what is predicted for it.
struct AccuracyPoint {
    QString name;
    QStringList about; // lines of the tip
    double measured = 0.0;
    double predicted = 0.0;
    std::optional<double> unseen;      // predicted by constants that never saw it; nothing: `predicted` is
    std::vector<AccuracyGroup> groups; // one for each of the page's groupings
    std::optional<Scenario> scenario;  // what a double click opens
    QString system;                    // or whose preset it takes over
    bool in_part = false; // its source leaves something open: it counts by itself, and is drawn hollow
};

// What a page lets choose.
struct AccuracyChoice {
    QString label;
    QString tip;
    bool is_first = true; // on to begin with
};

// All published figures of one sort, and the words that go with them.
struct AccuracyPage {
    QString title;
    QString note; // above the picture
    QString hint; // below it
    QString x_name;
    QString y_name;
    QString bias_tip;
    AxisUnit unit = AxisUnit::seconds;
    bool is_of_time_model = false; // a scenario may choose another one than the figures are of
    QStringList groupings;
    std::optional<AccuracyChoice> unseen;  // between a point's two predictions
    std::optional<AccuracyChoice> in_part; // whether points told in part are shown
    std::vector<AccuracyPoint> points;
};

} // namespace shardscope

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
};

// The choice between a page's two predictions.
struct UnseenChoice {
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
    std::optional<UnseenChoice> unseen;
    std::vector<AccuracyPoint> points;
};

} // namespace shardscope

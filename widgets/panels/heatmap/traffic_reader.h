#pragma once

#include "widgets/panels/heatmap/traffic_sources.h"
#include "widgets/session/content.h"
#include "widgets/session/latest_job.h"

#include <functional>
#include <memory>

namespace shardscope
{

// The traffic of a scenario, worked out beside the window where that takes longer than a frame: experts that
// receive unlike numbers of tokens send to each other by pairs. Until then the older one stays.
class TrafficReader
{
public:
    // `arrived` is called when traffic comes later than read() returns.
    explicit TrafficReader(std::function<void()> arrived);

    void read(const std::shared_ptr<const PredictedScenario>& wanted);
    // What another one has read already.
    void adopt(const TrafficReader& other);

    // Of which the traffic is; the scenario on screen may be the next one already. Null: none.
    const std::shared_ptr<const PredictedScenario>& of() const { return m_read.of; }
    const std::shared_ptr<const PredictedTraffic>& traffic() const { return m_read.traffic; }
    bool isRunning() const { return m_reading.isRunning(); }

private:
    struct Read {
        std::shared_ptr<const PredictedScenario> of;
        std::shared_ptr<const PredictedTraffic> traffic;
    };

    static Read readNow(const std::shared_ptr<const PredictedScenario>& of);

    Read m_read;
    std::shared_ptr<const PredictedScenario> m_wanted; // what is being read
    LatestJob<Read> m_reading;
};

} // namespace shardscope

#include "widgets/panels/heatmap/traffic_reader.h"

namespace shardscope
{

namespace
{

constexpr std::int64_t cells_of_a_frame = 60'000;

} // namespace

TrafficReader::TrafficReader(std::function<void()> arrived)
    : m_reading{[this, arrived = std::move(arrived)](Read read) {
          m_read = std::move(read);
          arrived();
      }}
{
}

void TrafficReader::read(const std::shared_ptr<const PredictedScenario>& wanted)
{
    if (m_reading.isRunning() && wanted == m_wanted)
        return;
    m_wanted = wanted;
    if (wanted != m_read.of && wanted && trafficCost(wanted->scenario) > cells_of_a_frame) {
        m_reading.start([wanted] { return readNow(wanted); });
        return;
    }
    m_reading.forget();
    if (wanted != m_read.of)
        m_read = readNow(wanted);
}

void TrafficReader::adopt(const TrafficReader& other)
{
    m_reading.forget();
    m_read = other.m_read;
}

TrafficReader::Read TrafficReader::readNow(const std::shared_ptr<const PredictedScenario>& of)
{
    if (!of)
        return {};
    return {of, std::make_shared<PredictedTraffic>(TrafficMatrix{of->scenario, of->prediction})};
}

} // namespace shardscope

#pragma once

#include "widgets/session/event_walk.h"
#include "widgets/session/latest_job.h"

#include <functional>
#include <utility>

namespace shardscope
{

// Looks for the events of a table's row off the GUI thread, for it may go over all events of a run. Who
// wishes the same row again meanwhile waits for the answer, as otherwise a key held down would never see one.
class EventSearch
{
public:
    explicit EventSearch(std::function<void(int row, const EventWalk&)> deliver)
        : m_job{[this, deliver = std::move(deliver)](const EventWalk& walk) { deliver(m_row, walk); }}
    {
    }

    void start(int row, std::function<EventWalk()> look)
    {
        if (m_job.isRunning() && row == m_row)
            return;
        m_row = row;
        m_job.start(std::move(look));
    }
    // The rows are others now.
    void forget() { m_job.forget(); }
    // Waits for the answer and delivers it.
    void finish() { m_job.finish(); }

private:
    int m_row = 0;
    LatestJob<EventWalk> m_job;
};

} // namespace shardscope

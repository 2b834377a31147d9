#include "widgets/session/partial_run.h"

#include "core/trace/rank_claims.h"

namespace shardscope
{

namespace
{

constexpr std::int64_t growth = 2; // events, from one picture to the next

} // namespace

void PartialRun::addBeginning(const TraceFile& file)
{
    const std::lock_guard lock{m_mutex};
    m_parts.try_emplace(file.path, Part{file, false});
}

void PartialRun::add(const TraceFile& file)
{
    const std::lock_guard lock{m_mutex};
    m_parts.insert_or_assign(file.path, Part{file, true});
}

std::int64_t PartialRun::events() const
{
    std::int64_t events = 0;
    for (const auto& [path, part] : m_parts)
        events += part.file.slices;
    return events;
}

std::shared_ptr<MeasuredRun> PartialRun::run() const
{
    auto run = std::make_shared<MeasuredRun>();
    for (const auto& [path, part] : m_parts) {
        run->traces.files.push_back(part.file);
        if (part.is_whole)
            continue;
        TraceFile& file = run->traces.files.back();
        file.status = FileStatus::recovered;
        file.warnings = {{"reading was stopped: only the beginning of the file is here", 1}};
    }
    noteRanks(run->traces);
    return run;
}

std::shared_ptr<const MeasuredRun> PartialRun::toShow()
{
    const std::lock_guard lock{m_mutex};
    const std::int64_t now = events();
    if (now == 0 || now < growth * m_shown_events)
        return nullptr;
    m_shown_events = now;
    const std::shared_ptr<MeasuredRun> shown = run();
    shown->is_partial = true;
    return shown;
}

std::shared_ptr<const MeasuredRun> PartialRun::whatCame() const
{
    const std::lock_guard lock{m_mutex};
    return m_parts.empty() ? nullptr : run();
}

} // namespace shardscope

#pragma once

#include "core/import/chrome/chrome_event.h"
#include "core/import/chrome/chrome_rows.h"
#include "core/import/chrome/chrome_tables.h"
#include "core/import/chrome/collective_arguments.h"
#include "core/import/chrome/event_cutter.h"

#include <memory>
#include <span>

namespace shardscope
{

// Turns pieces of the event array into rows. One for each thread.
class ChromeParser
{
public:
    explicit ChromeParser(std::size_t worker);

    ChromeRows parse(const EventChunk& chunk);
    const ChromeTables& tables() const { return *m_tables; }

private:
    void parseFound(const char* text, std::span<const EventSpan> found, std::int64_t offset);
    std::size_t parseGuess(const EventChunk& chunk);
    void tellNews();
    void take(const ChromeEvent& event);
    void takePhaseless();
    static JsonValue xlaCategory(const JsonValue& arguments);
    void takeComplete(const ChromeEvent& event);
    void takeEdge(const ChromeEvent& event, bool is_begin);
    void takeAsyncEdge(const ChromeEvent& event, bool is_begin, bool is_nested);
    void takeMetadata(const ChromeEvent& event);
    // chrome_counters.cpp
    void takeCounter(const ChromeEvent& event);
    void takeMemoryInstant(const ChromeEvent& event);
    // chrome_parser_arguments.cpp
    void takeArguments(const ChromeEvent& event, CategoryClass category, const TraceEvent& row);
    void takeKernel(const ChromeEvent& event, EventIndex index);
    void takeMemoryMove(const ChromeEvent& event, EventIndex index);
    void takeAnnotation(const ChromeEvent& event, const TraceEvent& row, EventIndex index);
    CollectiveCall makeCall(const CollectiveArguments& arguments, SizesFrom sizes_from);
    std::int64_t sizeByShapes(const CollectiveArguments& arguments, CollectiveCall& call);
    bool readTime(const JsonValue& value, TraceTime& time);
    void warn(std::string_view what) { m_rows.warnings.add(what, m_offset); }

    std::unique_ptr<ChromeTables> m_tables;
    std::size_t m_worker;
    ChromeRows m_rows;
    std::vector<TraceEvent> m_events; // of the piece; copied out in the size that is needed
    std::int64_t m_offset = 0;        // of the event at hand
    std::ptrdiff_t m_event_bytes = 0; // its length
    std::size_t m_names_told = 0;     // of the tables, in earlier pieces
    std::size_t m_tracks_told = 0;
    NameId m_record_param_comms;
};

} // namespace shardscope

// The arguments of PyTorch's events: what launched a kernel, what a copy moved, what a collective sent.
#include "core/import/chrome/chrome_parser.h"

#include <algorithm>
#include <limits>

namespace shardscope
{

namespace
{

// Backends whose calls have no GPU kernel: their annotation is the call.
constexpr std::string_view host_backends[] = {"gloo:", "mpi:", "ucc:"};

bool isHostCall(std::string_view name)
{
    return std::ranges::any_of(host_backends,
                               [&](std::string_view backend) { return name.starts_with(backend); });
}

// "nccl:all_reduce", "rccl:...": one word, then an operation.
bool isBackendCall(std::string_view name)
{
    const std::size_t colon = name.find(':');
    return colon != std::string_view::npos && colon >= 3 && colon <= 6 && name.substr(colon - 2, 2) == "cl";
}

std::int32_t narrowed(std::int64_t value)
{
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return value >= -1 && value <= most ? static_cast<std::int32_t>(value) : -1;
}

std::int64_t bytesOf(std::int64_t elements, int element_bytes)
{
    std::int64_t bytes = -1;
    if (elements < 0 || element_bytes == 0 || __builtin_mul_overflow(elements, element_bytes, &bytes))
        return -1;
    return bytes;
}

} // namespace

// What only PyTorch's events have: links from launches to kernels, and what communication sends.
void ChromeParser::takeArguments(const ChromeEvent& event, CategoryClass category, const TraceEvent& row)
{
    const EventIndex index{static_cast<std::uint32_t>(m_events.size() - 1)};
    m_rows.has_kineto_categories = true;
    m_rows.has_work_of_mtia = m_rows.has_work_of_mtia || category == CategoryClass::mtia;
    if (category == CategoryClass::kernel || category == CategoryClass::gpu)
        m_tables->markGpu(row.track);
    if (event.arguments.kind != JsonKind::object)
        return;
    if (category == CategoryClass::kernel) {
        takeKernel(event, index);
    } else if (category == CategoryClass::gpu) {
        takeMemoryMove(event, index);
    } else if (category == CategoryClass::launch) {
        const std::int64_t correlation = readLaunchArguments(event.arguments.text).correlation;
        if (correlation > 0)
            m_rows.launches.push_back({row.start, correlation, row.track, index});
    } else if ((category == CategoryClass::cpu_op && row.name == m_record_param_comms)
               || category == CategoryClass::user_annotation) {
        takeAnnotation(event, row, index);
    }
}

void ChromeParser::takeKernel(const ChromeEvent& event, EventIndex index)
{
    const LaunchArguments launch = readLaunchArguments(event.arguments.text);
    if (launch.is_communication) {
        CollectiveCall call = makeCall(readCollectiveArguments(event.arguments.text), SizesFrom::kernel);
        call.event = index;
        m_rows.calls.push_back(call);
    }
    if (launch.correlation >= 0 || launch.external_id >= 0)
        m_rows.launched.push_back({launch.correlation, launch.external_id, index, !launch.is_communication});
}

// Copies and fills; annotations on the GPU have no bytes and no correlation.
void ChromeParser::takeMemoryMove(const ChromeEvent& event, EventIndex index)
{
    const MemoryArguments arguments = readMemoryArguments(event.arguments.text);
    if (arguments.correlation >= 0)
        m_rows.launched.push_back({arguments.correlation, -1, index, false});
    if (arguments.bytes >= 0 || arguments.bandwidth_GBps >= 0)
        m_rows.memory_moves.push_back({index, arguments.bytes, arguments.bandwidth_GBps});
}

void ChromeParser::takeAnnotation(const ChromeEvent& event, const TraceEvent& row, EventIndex index)
{
    const bool is_param_comms = row.name == m_record_param_comms;
    const std::string_view name = m_tables->names().text(row.name);
    if (!is_param_comms && !isHostCall(name) && !isBackendCall(name))
        return;
    const CollectiveArguments arguments = readCollectiveArguments(event.arguments.text);
    const SizesFrom source = is_param_comms ? SizesFrom::record_param_comms : SizesFrom::annotation;
    CommunicationRow communication;
    communication.start = row.start;
    communication.end = row.start + row.duration;
    communication.external_id = arguments.external_id;
    communication.track = row.track;
    communication.is_annotation = !is_param_comms;
    CollectiveCall& call = communication.call;
    call = makeCall(arguments, source);
    if (call.name == no_name && !is_param_comms)
        call.name = row.name;
    if (call.in_bytes < 0) {
        communication.elements = sizeByShapes(arguments, call);
        call.sizes_from = call.in_bytes >= 0 ? source : SizesFrom::none;
    }
    if (call.group_size == 0 && is_param_comms) // torch before 2.3
        call.group_size = std::max(narrowed(lastConcreteInput(arguments.concrete_inputs)), 0);
    if (isHostCall(name)) {
        call.event = index;
        m_rows.calls.push_back(call);
    }
    m_rows.communications.push_back(communication);
}

CollectiveCall ChromeParser::makeCall(const CollectiveArguments& arguments, SizesFrom sizes_from)
{
    CollectiveCall call;
    call.name = m_tables->name(arguments.name);
    call.dtype = m_tables->name(arguments.dtype);
    call.group = m_tables->name(arguments.group);
    call.group_description = m_tables->name(arguments.group_description);
    call.group_ranks = m_tables->name(arguments.group_ranks);
    call.in_splits = m_tables->name(arguments.in_splits);
    call.group_size = std::max(narrowed(arguments.group_size), 0);
    call.source_rank = narrowed(arguments.source_rank);
    call.destination_rank = narrowed(arguments.destination_rank);
    call.sequence = arguments.sequence;
    const int width = elementBytes(arguments.dtype.text);
    call.in_bytes = bytesOf(arguments.in_elements, width);
    call.out_bytes = bytesOf(arguments.out_elements, width);
    call.sizes_from = call.in_bytes >= 0 || call.out_bytes >= 0 ? sizes_from : SizesFrom::none;
    return call;
}

// The size by "Input Dims" and "Input type", for files that have nothing better. Answers the number of
// elements where their type is not told, else -1.
std::int64_t ChromeParser::sizeByShapes(const CollectiveArguments& arguments, CollectiveCall& call)
{
    const TensorInputs inputs = readTensorInputs(arguments.input_dims, arguments.input_types);
    const int width = elementBytes(inputs.dtype);
    if (width == 0)
        return inputs.elements;
    call.in_bytes = bytesOf(inputs.elements, width);
    call.dtype = m_tables->intern(inputs.dtype);
    return -1;
}

} // namespace shardscope

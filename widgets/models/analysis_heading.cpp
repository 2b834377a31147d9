#include "widgets/models/analysis_heading.h"

#include <QHash>

namespace shardscope
{

namespace
{

using Meanings = QHash<QString, QString>;

Meanings meaningsOfRanks()
{
    return {
        {"window_ns",
         "From the first start to the last end of the rank's GPU events, or of its own where no GPU "
         "was recorded."},
        {"communication_ns", "While a collective or message runs, also where it runs beside computing."},
        {"kernel_ns", "While kernels run and no communication does."},
        {"memory_ns", "While only copies and fills run."},
        {"intra_operator_ns", "The GPU has no work while the CPU is within an operator."},
        {"inter_operator_ns", "The GPU has no work while the CPU is between operators."},
        {"kernel_share", "Kernels by kernels and the time without work: k1 of Cheng et al. 2024."},
        {"duration_ns", "As long as the profiler marked the step on the CPU."},
        {"compute_ns", "While computation runs, also where it runs beside communication."},
        {"exposed_communication_ns", "Communication while nothing is computed."},
        {"idle_ns", "While the GPU has no work."},
    };
}

Meanings meaningsOfStreams()
{
    return {
        {"host_wait_ns", "The next event's launch came after the work before it had ended."},
        {"kernel_wait_ns", "Launched in time, and less than 30 µs after the work before it."},
        {"other_ns", "Launched in time, and later still: mostly waiting for another stream."},
        {"queue_mean", "Launches that have not started yet, on the average of its changes."},
        {"queue_max", "Most launches that had not started yet."},
        {"self_ns", "In the operator itself, the operators within it left out."},
        {"total_ns", "From its begin to its end, with the operators within it."},
        {"gpu_idle_ns", "While the operator itself ran and the GPU had no work."},
        {"gpu_ns", "How long that ran which was launched."},
        {"call_ns", "How long the launching calls took on the CPU."},
        {"delay_median_ns", "From the end of the launching call to the start on the GPU; 0 where the GPU was "
                            "faster."},
        {"delay_max_ns", "From the end of the launching call to the start on the GPU."},
        {"time_share", "Of the time of all rows together; what runs side by side counts in full."},
        {"own_ns", "Without the operators and calls within it that have rows of their own."},
        {"short_count", "Kernels that ran for less time than their launch took."},
    };
}

Meanings meaningsOfCalls()
{
    return {
        {"wait_ns",
         "Added up over ranks and calls: how much longer a rank was in the call than the one that was "
         "in it shortest."},
        {"min_ns",
         "Of each call the shortest of its ranks' times, which is what the transfer takes; of those the "
         "shortest."},
        {"median_ns", "Of each call the shortest of its ranks' times; of those the median."},
        {"max_ns", "Of each call the shortest of its ranks' times; of those the longest."},
        {"algbw_GBps", "Bytes of the message by the time of the transfer, as nccl-tests counts."},
        {"busbw_GBps",
         "algbw times what a ring sends for each byte, as nccl-tests counts: to be compared with a "
         "link."},
        {"last", "In how many calls that were matched across ranks this rank was the last to start."},
        {"calls", "That were matched across ranks and had this rank among them."},
        {"delay_ns", "What the other ranks waited for this one, added up over those ranks and calls."},
        {"longest_delay_ns", "What the others waited for this one in one call, all together, at most."},
        {"longest_call", "The call in which that was."},
    };
}

Meanings meaningsOfTwoRuns()
{
    return {
        {"before_s", "Of one rank in one iteration of the pinned run, the mean over ranks; of timers the "
                     "median."},
        {"after_s", "Of one rank in one iteration of this run, the mean over ranks; of timers the median."},
        {"added_s", "What this run takes longer."},
        {"before_count", "Of one rank in one iteration of the pinned run, the mean over ranks."},
        {"after_count", "Of one rank in one iteration of this run, the mean over ranks."},
        {"before_transfer_s", "One call of the pinned run once every rank is there, the median."},
        {"after_transfer_s", "One call of this run once every rank is there, the median."},
    };
}

const Meanings& meanings()
{
    static const Meanings all = [] {
        Meanings joined = meaningsOfRanks();
        joined.insert(meaningsOfStreams());
        joined.insert(meaningsOfCalls());
        joined.insert(meaningsOfTwoRuns());
        return joined;
    }();
    return all;
}

} // namespace

QString headingMeaning(AnalysisSection section, const QString& file_heading)
{
    if (file_heading == "share" && section == AnalysisSection::stragglers)
        return QStringLiteral("Of its calls, those in which this rank was the last to start.");
    return meanings().value(file_heading);
}

} // namespace shardscope

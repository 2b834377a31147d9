#include "widgets/panels/time/time_slice_words.h"

#include "widgets/session/shown_text.h"

namespace shardscope
{

QString sliceName(const TimeSlice& slice)
{
    switch (slice.part) {
    case TimePart::compute:
        return QStringLiteral("compute");
    case TimePart::overlapped:
        return QStringLiteral("hidden");
    case TimePart::passes:
        return QStringLiteral("passes");
    case TimePart::step:
        return QStringLiteral("step");
    case TimePart::communication:
        return slice.kind == Kind::unknown ? QStringLiteral("communication") : kindName(slice.kind);
    case TimePart::memory_copy:
        return QStringLiteral("memory");
    case TimePart::bubble:
        return QStringLiteral("bubble");
    case TimePart::idle:
        return QStringLiteral("idle");
    case TimePart::undivided:
        return QStringLiteral("not divided");
    case TimePart::other:
        break;
    }
    return QStringLiteral("other");
}

QColor sliceColour(const TimeSlice& slice, const Theme& theme)
{
    switch (slice.part) {
    case TimePart::compute:
    case TimePart::overlapped:
    case TimePart::passes:
        return theme.colour(Hue::compute);
    case TimePart::step:
        return theme.colour(Hue::step);
    case TimePart::communication:
        return theme.colour(slice.kind);
    case TimePart::memory_copy:
        return theme.colour(Hue::memory_copy);
    case TimePart::bubble:
        return theme.colour(Hue::bubble);
    case TimePart::idle:
        return theme.colour(Hue::idle);
    case TimePart::undivided:
        return theme.faintText(); // no hue, as it is of no part
    case TimePart::other:
        break;
    }
    return theme.colour(Hue::unknown);
}

QString sliceMeaning(const TimeSlice& slice)
{
    switch (slice.part) {
    case TimePart::compute:
        return QStringLiteral("Computing, with no communication behind it");
    case TimePart::overlapped:
        return QStringLiteral("Computing while a communication runs behind it: hidden, it costs no time");
    case TimePart::passes:
        return QStringLiteral("Forward and backward passes, with the messages in them: the schedule that was "
                              "recorded does not divide them");
    case TimePart::step:
        return QStringLiteral("The optimizer's step");
    case TimePart::communication:
        return QStringLiteral("Communication that nothing hides");
    case TimePart::memory_copy:
        return QStringLiteral("Copying or setting memory, with neither computing nor communication");
    case TimePart::bubble:
        return QStringLiteral("Idle before the first backward pass, after the last forward pass, or where a "
                              "neighbour is not ready");
    case TimePart::idle:
        return QStringLiteral("Nothing runs");
    case TimePart::undivided:
        return QStringLiteral("How long an iteration took by the log, which does not tell what of; "
                              "what timers it has stand in Analysis");
    case TimePart::other:
        break;
    }
    return QStringLiteral("Part of the iteration's time that has no name");
}

std::optional<Figure> sliceFigure(const TimeSlice& slice)
{
    if (slice.part == TimePart::compute)
        return Figure::compute_time;
    if (slice.part == TimePart::bubble)
        return Figure::bubble_time;
    if (slice.part != TimePart::communication)
        return std::nullopt;
    switch (slice.kind) {
    case Kind::tp:
        return Figure::tp_time;
    case Kind::cp:
        return Figure::cp_time;
    case Kind::ep:
        return Figure::ep_time;
    case Kind::pp:
        return Figure::pp_time;
    case Kind::dp:
        return Figure::dp_time;
    case Kind::emb:
        return Figure::emb_time;
    case Kind::mp:
        return Figure::mp_time;
    default:
        return std::nullopt;
    }
}

QString allComputing(const TimeSlice& slice, const TimePrediction& time)
{
    if (sliceFigure(slice) != Figure::compute_time || slice.seconds >= time.compute_s * (1.0 - 1e-9))
        return {};
    return QStringLiteral("<br>All computing takes %1: here the step, and what hides communication, stand "
                          "beside it.")
        .arg(secondsText(time.compute_s));
}

QString kindName(Kind kind)
{
    return toQString(word(kind));
}

} // namespace shardscope

#include "widgets/panels/picture/selection_steps.h"

namespace shardscope
{

Selection withKindToggled(Selection selection, Kind kind)
{
    const bool was_marked = selection.kind == kind && !selection.message;
    selection.message.reset();
    selection.kind = was_marked ? std::nullopt : std::optional{kind};
    return selection;
}

Selection withRankToggled(Selection selection, std::int64_t rank)
{
    selection.rank = selection.rank == rank ? std::nullopt : std::optional{rank};
    return selection;
}

Selection withMessageToggled(Selection selection, const MessageKey& message)
{
    const bool was_marked = selection.message == message;
    selection.message = was_marked ? std::nullopt : std::optional{message};
    selection.kind = was_marked ? std::nullopt : std::optional{message.kind};
    return selection;
}

std::optional<Kind> markedKind(const Selection& selection)
{
    return selection.message ? std::optional{selection.message->kind} : selection.kind;
}

} // namespace shardscope

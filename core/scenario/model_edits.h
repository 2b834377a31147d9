#pragma once

#include "core/scenario/model_sizes.h"
#include "core/scenario/scenario.h"

#include <string_view>
#include <vector>

namespace shardscope
{

// A model whose figures are set by hand, one after the other. What was set stays, and the rest follows as in
// a file that has these keys over the model that it began as: in which order they are set makes no
// difference, nor do values that a figure had in between.
class ModelEdits
{
public:
    // The model is another one, of which nothing was set yet.
    void begin(const Model& model);
    // The model is that one. Where a figure that was set has made it, as undo finds it, that one's edits go
    // on; any other begins anew.
    void show(const Model& model);
    // The figure of `key` ("model.head_dim") was set in what is shown. 0 makes a size follow once more.
    // Answers the model with what follows from it.
    const Model& set(std::string_view key, const Model& wished);

private:
    struct Edit {
        Model begun;
        Model model;
        OwnSizes own;
    };

    void goOn(Edit next);

    Edit m_now;
    std::vector<Edit> m_others; // the latest last
};

} // namespace shardscope

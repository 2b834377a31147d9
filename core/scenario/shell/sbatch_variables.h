#pragma once

#include <string_view>

namespace shardscope
{

class ShellVariables;

// Slurm's variables that follow from the lines "#SBATCH --nodes=4": SLURM_NNODES and its like.
void addSbatchVariables(std::string_view script, ShellVariables& variables);

} // namespace shardscope

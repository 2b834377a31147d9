#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

namespace shardscope
{

inline constexpr int exit_done = 0;
inline constexpr int exit_bad_input = 1;   // file, scenario, trace
inline constexpr int exit_wrong_usage = 2; // and what is not built yet

// One line on standard error: "shardscope-cli: error: ...". The sentence names its file; a line break in it
// (a file may be called so) becomes a blank. Answers `status`.
inline int fail(int status, std::string sentence)
{
    std::ranges::replace(sentence, '\n', ' ');
    std::fprintf(stderr, "shardscope-cli: error: %s\n", sentence.c_str());
    return status;
}

// One line on standard error for what was left out while the answer goes on: "shardscope-cli: warning: ...".
inline void warn(std::string sentence)
{
    std::ranges::replace(sentence, '\n', ' ');
    std::fprintf(stderr, "shardscope-cli: warning: %s\n", sentence.c_str());
}

// An answer on standard output, at once, for whoever reads line by line. Names in it come from files of
// others: what could steer a terminal becomes a question mark. Answers exit_done, or fails when nobody can
// take it (a closed pipe, a full disk).
inline int print(std::string answer)
{
    const auto steers = [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        return (code < 0x20 && letter != '\n' && letter != '\t') || code == 0x7f;
    };
    std::ranges::replace_if(answer, steers, '?');
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        return fail(exit_bad_input, "the answer cannot be written to standard output");
    return exit_done;
}

} // namespace shardscope

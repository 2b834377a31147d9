#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <string>

namespace shardscope
{

inline constexpr int exit_done = 0;
inline constexpr int exit_bad_input = 1;     // file, scenario, trace
inline constexpr int exit_wrong_usage = 2;   // and what is not built yet
inline constexpr int exit_closed_pipe = 141; // SIGPIPE

// One line on standard error: "shardscope-cli: error: ...". The sentence names its file; a line break in it
// (a file may be called so) becomes a blank. Answers `status`.
inline int fail(int status, std::string sentence)
{
    std::ranges::replace(sentence, '\n', ' ');
    std::fprintf(stderr, "shardscope-cli: error: %s\n", sentence.c_str());
    return status;
}

// One line on standard error for what was left out while the answer goes on: "shardscope-cli: warning: ...".
// Once, whoever reads the same file again.
inline void warn(std::string sentence)
{
    static std::set<std::string> said;
    std::ranges::replace(sentence, '\n', ' ');
    if (said.insert(sentence).second)
        std::fprintf(stderr, "shardscope-cli: warning: %s\n", sentence.c_str());
}

// What a command ends with, once its answer is written or errno says why it is not. Whoever closes the pipe
// has enough: nothing is said of it, as of a process that the signal ends.
inline int endOfAnswer(bool is_written)
{
    if (is_written)
        return exit_done;
    return errno == EPIPE ? exit_closed_pipe
                          : fail(exit_bad_input, "the answer cannot be written to standard output");
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
    errno = 0;
    const bool is_buffered = std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size();
    return endOfAnswer(is_buffered && std::fflush(stdout) == 0);
}

} // namespace shardscope

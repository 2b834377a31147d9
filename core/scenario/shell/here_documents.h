#pragma once

#include <string_view>
#include <vector>

namespace shardscope
{

// A text that a script hands to a command: cat <<EOT > $CONFIG, then its lines up to one that is EOT.
struct HereDocument {
    std::string_view target; // the file's name as it is written; empty: it goes to none
    std::string_view text;
    bool is_literal = false; // its variables are not put in: <<'EOT'
};

// Those of a script, of lines that end with \n alone; the first hundred.
std::vector<HereDocument> hereDocuments(std::string_view script);

} // namespace shardscope

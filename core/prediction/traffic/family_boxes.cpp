#include "core/prediction/traffic/family_boxes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace shardscope
{

namespace
{

// Where the values of a digit are cut: the first value of each range, and the end.
using Cuts = std::vector<std::int64_t>;

Cuts wholeDigit(const RankDigit& digit)
{
    return {0, digit.size};
}

// A ring closes at the last value; with a mesh of several digits also the first one differs.
Cuts ends(const RankDigit& digit)
{
    Cuts cuts{0};
    for (const std::int64_t value : {std::int64_t{1}, digit.size - 1, digit.size})
        if (value > cuts.back())
            cuts.push_back(value);
    return cuts;
}

Cuts singles(const RankDigit& digit)
{
    Cuts cuts;
    for (std::int64_t value = 0; value <= digit.size; ++value)
        cuts.push_back(value);
    return cuts;
}

// True when groups of this kind run along the digit.
bool runsAlong(Kind kind, const RankDigit& digit, const Parallel& parallel)
{
    switch (kind) {
    case Kind::tp:
        return digit.dimension == Dimension::tp;
    case Kind::cp:
        return digit.dimension == Dimension::cp;
    case Kind::dp:
        return digit.dimension == Dimension::cp || digit.dimension == Dimension::dp;
    case Kind::ep:
        return digit.in_expert_group;
    case Kind::edp:
        return sharesExperts(parallel, digit.dimension) && !digit.in_expert_group;
    case Kind::mp:
        return parallel.zero_stage > 0 || digit.dimension == Dimension::tp || digit.in_expert_group;
    case Kind::pp:
    case Kind::emb:
    case Kind::unknown:
        break;
    }
    return false;
}

Cuts stageCuts(const TrafficMatrix& matrix, Kind kind, const RankDigit& digit)
{
    if (hasMirroredStages(matrix.layout().parallel()))
        return singles(digit);
    Cuts cuts = matrix.stageBorders(kind);
    for (const std::int64_t end : ends(digit))
        cuts.push_back(end);
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
}

Cuts cutsOf(const TrafficMatrix& matrix, const RankDigits& digits, Kind kind, const RankDigit& digit)
{
    const Parallel& parallel = matrix.layout().parallel();
    const bool of_experts =
        kind == Kind::ep || kind == Kind::edp || (kind == Kind::mp && parallel.zero_stage == 0);
    if (!digits.expertGroupsAreWhole() && of_experts) {
        // In a block of expert groups every rank has its own neighbours; in edp also those of other blocks.
        const bool of_norm = kind == Kind::mp && digit.dimension == Dimension::tp;
        const bool is_block = sharesExperts(parallel, digit.dimension) && !digit.in_expert_group && !of_norm;
        if (kind == Kind::ep ? digit.in_expert_group : !is_block)
            return singles(digit);
        if (is_block)
            return kind == Kind::edp ? ends(digit) : wholeDigit(digit);
    }
    if (digit.dimension == Dimension::pp)
        return stageCuts(matrix, kind, digit);
    if (matrix.followsLoads(kind) && digit.in_expert_group)
        return singles(digit);
    if (!runsAlong(kind, digit, parallel))
        return wholeDigit(digit);
    return matrix.spreads(kind) ? singles(digit) : ends(digit);
}

struct Sent {
    std::int64_t delta = 0;
    double bytes = 0.0;
    std::int64_t begin = 0; // of the digit that is run along
    bool operator<(const Sent& other) const { return delta < other.delta; }
};

// Walks along the digit with the most ranges, and joins what stays the same from one to the next on the way.
class BoxBuilder
{
public:
    BoxBuilder(const TrafficMatrix& matrix, const RankDigits& digits, Kind kind)
        : m_matrix{matrix}, m_digits{digits}, m_kind{kind}
    {
        for (std::size_t i = 0; i < digits.count(); ++i)
            m_cuts.push_back(cutsOf(matrix, digits, kind, digits[i]));
        const auto longest =
            std::ranges::max_element(m_cuts, {}, [](const Cuts& cuts) { return cuts.size(); });
        m_run = static_cast<std::size_t>(longest - m_cuts.begin());
    }

    std::vector<FamilyBox> build()
    {
        if (m_digits.count() > 0)
            cut(0);
        mergeNeighbours(m_boxes, m_digits.count());
        return std::move(m_boxes);
    }

private:
    void cut(std::size_t digit)
    {
        if (digit == m_digits.count())
            return runAlong();
        if (digit == m_run)
            return cut(digit + 1);
        for (std::size_t i = 0; i + 1 < m_cuts[digit].size(); ++i) {
            m_box[digit] = {m_cuts[digit][i], m_cuts[digit][i + 1]};
            cut(digit + 1);
        }
    }

    void runAlong()
    {
        m_open.clear();
        const Cuts& cuts = m_cuts[m_run];
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
            step(cuts[i]);
        for (const Sent& sent : m_open)
            close(sent, cuts.back());
    }

    void step(std::int64_t value)
    {
        m_box[m_run].begin = value;
        std::int64_t sender = 0;
        for (std::size_t i = 0; i < m_digits.count(); ++i)
            sender += m_digits[i].stride * m_box[i].begin;
        m_cells.clear();
        m_matrix.appendRow(m_kind, sender, m_cells);
        m_next.clear();
        for (const TrafficCell& cell : m_cells)
            m_next.push_back({cell.receiver - sender, cell.bytes, value});
        std::sort(m_next.begin(), m_next.end());
        auto open = m_open.begin();
        for (Sent& sent : m_next) {
            for (; open != m_open.end() && open->delta < sent.delta; ++open)
                close(*open, value);
            if (open == m_open.end() || open->delta != sent.delta)
                continue;
            if (open->bytes == sent.bytes)
                sent.begin = open->begin;
            else
                close(*open, value);
            ++open;
        }
        for (; open != m_open.end(); ++open)
            close(*open, value);
        m_open.swap(m_next);
    }

    void close(const Sent& sent, std::int64_t end)
    {
        RankBox box = m_box;
        box[m_run] = {sent.begin, end};
        m_boxes.push_back({sent.delta, sent.bytes, box});
    }

    const TrafficMatrix& m_matrix;
    const RankDigits& m_digits;
    Kind m_kind;
    std::vector<Cuts> m_cuts;
    std::size_t m_run = 0;
    RankBox m_box{};
    std::vector<Sent> m_open;
    std::vector<Sent> m_next;
    std::vector<TrafficCell> m_cells;
    std::vector<FamilyBox> m_boxes;
};

std::optional<RankBox> common(const RankBox& a, const RankBox& b, std::size_t digits)
{
    RankBox both = a;
    for (std::size_t i = 0; i < digits; ++i) {
        both[i] = {std::max(a[i].begin, b[i].begin), std::min(a[i].end, b[i].end)};
        if (both[i].size() <= 0)
            return std::nullopt;
    }
    return both;
}

// What of the box lies outside of `part`, which lies inside of it.
void appendRest(FamilyBox whole, const RankBox& part, std::size_t digits, std::vector<FamilyBox>& rest)
{
    for (std::size_t i = 0; i < digits; ++i) {
        const DigitRange range = whole.box[i];
        for (const DigitRange side :
             {DigitRange{range.begin, part[i].begin}, DigitRange{part[i].end, range.end}})
            if (side.size() > 0) {
                whole.box[i] = side;
                rest.push_back(whole);
            }
        whole.box[i] = part[i];
    }
}

// Adds one box to those of its diagonal; what meets none of them is left in `fresh`.
void addBox(const FamilyBox& box, std::vector<FamilyBox>& old, std::vector<FamilyBox>& fresh,
            std::size_t digits)
{
    std::vector<FamilyBox> left{box};
    for (std::size_t i = 0; i < old.size() && !left.empty(); ++i) {
        std::vector<FamilyBox> rest;
        for (const FamilyBox& piece : left) {
            const auto both = common(old[i].box, piece.box, digits);
            if (!both) {
                rest.push_back(piece);
                continue;
            }
            const FamilyBox before = old[i];
            appendRest(piece, *both, digits, rest);
            old[i] = {before.delta, before.bytes + piece.bytes, *both};
            appendRest(before, *both, digits, old);
        }
        left.swap(rest);
    }
    fresh.insert(fresh.end(), left.begin(), left.end());
}

} // namespace

std::vector<FamilyBox> familyBoxes(const TrafficMatrix& matrix, const RankDigits& digits, Kind kind)
{
    return BoxBuilder{matrix, digits, kind}.build();
}

std::vector<FamilyBox> addedUp(std::vector<FamilyBox> first, const std::vector<FamilyBox>& second,
                               std::size_t digits)
{
    std::map<std::int64_t, std::vector<FamilyBox>> diagonals;
    for (const FamilyBox& box : first)
        diagonals[box.delta].push_back(box);
    std::vector<FamilyBox> sum;
    for (const FamilyBox& box : second)
        addBox(box, diagonals[box.delta], sum, digits);
    for (const auto& [delta, boxes] : diagonals)
        sum.insert(sum.end(), boxes.begin(), boxes.end());
    return sum;
}

std::vector<FamilyBox> withoutCommonCells(const std::vector<FamilyBox>& boxes, std::size_t digits)
{
    std::map<std::int64_t, std::vector<FamilyBox>> diagonals;
    std::vector<FamilyBox> fresh;
    for (const FamilyBox& box : boxes) {
        std::vector<FamilyBox>& diagonal = diagonals[box.delta];
        fresh.clear();
        addBox(box, diagonal, fresh, digits);
        diagonal.insert(diagonal.end(), fresh.begin(), fresh.end());
    }
    std::vector<FamilyBox> sum;
    for (const auto& [delta, diagonal] : diagonals)
        sum.insert(sum.end(), diagonal.begin(), diagonal.end());
    return sum;
}

void mergeNeighbours(std::vector<FamilyBox>& boxes, std::size_t digits)
{
    for (std::size_t digit = 0; digit < digits; ++digit) {
        // Sorted so that what can be joined stands side by side.
        const auto key = [digit](const FamilyBox& box) {
            RankBox others = box.box;
            others[digit] = {};
            return std::tuple{box.delta, box.bytes, others};
        };
        std::ranges::sort(boxes, [&](const FamilyBox& a, const FamilyBox& b) {
            return std::tuple{key(a), a.box[digit]} < std::tuple{key(b), b.box[digit]};
        });
        std::size_t kept = 0;
        for (std::size_t i = 1; i < boxes.size(); ++i) {
            if (boxes[kept].box[digit].end == boxes[i].box[digit].begin && key(boxes[kept]) == key(boxes[i]))
                boxes[kept].box[digit].end = boxes[i].box[digit].end;
            else
                boxes[++kept] = boxes[i];
        }
        boxes.resize(boxes.empty() ? 0 : kept + 1);
    }
}

} // namespace shardscope

#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/validation/validation.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Collects what is wrong. Nothing is written, and nothing allocated, while all is well.
class Findings
{
public:
    void add(std::string_view field, std::string sentence)
    {
        m_problems.push_back({std::string{field}, std::move(sentence)});
    }
    void range(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most)
    {
        if (value < least || value > most)
            addRange(field, value, least, most);
    }
    // A finite number with least <= value <= most.
    void range(std::string_view field, double value, double least, double most)
    {
        if (!(value >= least && value <= most))
            addRange(field, value, least, most);
    }
    // `divisor`, the value of `field`, has to divide `dividend`; the sentence offers the nearest ones that
    // do, of those that `allows` lets pass too, for other figures that it has to divide.
    void divides(std::string_view field, std::int64_t divisor, std::string_view dividend_name,
                 std::int64_t dividend)
    {
        if (dividend % divisor != 0)
            addDivisors(field, divisor, dividend_name, dividend, {});
    }
    template<class Allows>
    void divides(std::string_view field, std::int64_t divisor, std::string_view dividend_name,
                 std::int64_t dividend, const Allows& allows)
    {
        if (dividend % divisor != 0)
            addDivisors(field, divisor, dividend_name, dividend, allows);
    }

    bool empty() const { return m_problems.empty(); }
    std::vector<Problem> take() { return std::move(m_problems); }

private:
    void addDivisors(std::string_view field, std::int64_t divisor, std::string_view dividend_name,
                     std::int64_t dividend, const std::function<bool(std::int64_t)>& allows);
    void addOutside(std::string_view field, const std::string& value, std::string allowed);
    void addRange(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most);
    void addRange(std::string_view field, double value, double least, double most);

    std::vector<Problem> m_problems;
};

// "layers (54)": a key's last word with its value.
std::string named(std::string_view field, std::int64_t value);

// Up to `most` divisors of `number`, those allowed that are nearest to `wish` by ratio, in rising order: "1,
// 2, 4, 8 or 16". Nothing given: all are allowed.
std::string divisorsNear(std::int64_t number, std::int64_t wish,
                         const std::function<bool(std::int64_t)>& allows, std::size_t most);

// Each figure on its own: sizes that are zero, absurd, or no numbers.
void checkRanges(const Scenario& scenario, Findings& findings);
// The same for the constants of the detailed time model.
void checkLaws(const Scenario& scenario, Findings& findings);
// Whether the products of sizes that a prediction needs can be counted in 64 bits. Pre: checkRanges() found
// nothing.
void checkProducts(const Scenario& scenario, Findings& findings);
// How figures divide one another. Pre: checkRanges() and checkProducts() found nothing.
void checkRelations(const Scenario& scenario, Findings& findings);
// Of these: whether the batch comes out in micro-batches for every replica, whether there are more passes
// than can be played, and what the schedule asks of stages and micro-batches.
void checkBatch(const Scenario& scenario, Findings& findings);
void checkPasses(const Scenario& scenario, Findings& findings);
void checkSchedule(const Scenario& scenario, Findings& findings);
// Whether layer_pattern goes with the model, and recurrences with the layout.
void checkPattern(const Scenario& scenario, Findings& findings);

} // namespace shardscope

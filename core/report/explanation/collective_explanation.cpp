#include "core/report/explanation/collective_explanation.h"

#include "core/base/format.h"
#include "core/collectives/collective_cost.h"
#include "core/collectives/ring.h"
#include "core/prediction/time/machine.h"
#include "core/report/explanation/worked_formula.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

std::string count(int number)
{
    return plain(std::int64_t{number});
}

std::string bracketed(const std::string& text)
{
    return "(" + text + ")";
}

// An expression with its symbols, and with its values.
struct Expression {
    std::string symbols;
    std::string values;
};

// "name = symbols = values = result"
std::string line(const char* name, const Expression& expression, const std::string& result)
{
    return std::string{name} + " = " + expression.symbols + " = " + expression.values + " = " + result;
}

// One call of a group on a machine, term by term.
class CollectiveTerms
{
public:
    CollectiveTerms(Op op, Bytes message, const Communicator& group, const Interconnect& interconnect)
        : m_op{op},
          m_message{message},
          m_group{group},
          m_interconnect{interconnect},
          m_cost{collectiveCost(op, message, group, interconnect)}
    {
    }

    std::string title() const
    {
        const std::string ranks = count(m_group.members) + " ranks";
        return std::string{word(m_op)} + " of " + formatBytes(m_message.value()) + " over " + ranks
               + (m_group.nodes() == 1 ? " of a node" : " on " + count(m_group.nodes()) + " nodes");
    }

    std::string why() const { return algorithm() + " " + narrowest() + blend(); }

    Expression time() const
    {
        const std::string steps = plainTime(m_cost.latency.total().value());
        const std::string transfer = plainTime(m_cost.transfer().value());
        if (m_cost.blend == 1.0)
            return {"T = L + w / B", steps + " + " + transfer};
        const std::string p = plain(m_cost.blend);
        return {"T = (L^p + (w / B)^p)^(1 / p)",
                bracketed(steps + "^" + p + " + " + transfer + "^" + p) + "^" + bracketed("1 / " + p)};
    }

    std::string parts() const
    {
        const double sent = ringBytes(m_op, m_group.members, m_message.value());
        const double time = m_cost.time().value();
        const Bytes bytes = byNetwork() ? m_cost.network_bytes : m_cost.inside_bytes;
        const BytesPerSecond bandwidth = byNetwork() ? m_cost.network : m_cost.inside;
        return line("latency L", latency(), plainTime(m_cost.latency.total().value())) + '\n'
               + line("bytes w", byNetwork() ? networkBytes() : insideBytes(), plainBytes(bytes.value()))
               + '\n'
               + line("bandwidth B", byNetwork() ? network() : inside(), plainBandwidth(bandwidth.value()))
               + '\n' + "w / B = " + plainBytes(bytes.value()) + " / " + plainBandwidth(bandwidth.value())
               + " = " + plainTime(m_cost.transfer().value()) + '\n'
               + line("bus bandwidth", {sentSymbols() + " / T", plainBytes(sent) + " / " + plainTime(time)},
                      plainBandwidth(sent / time));
    }

    std::string inWords() const
    {
        const BytesPerSecond bandwidth = byNetwork() ? m_cost.network : m_cost.inside;
        return "latency " + formatSeconds(m_cost.latency.total().value()) + " and "
               + formatSeconds(m_cost.transfer().value()) + " at " + plain(bandwidth.value() / 1e9, 3)
               + " GB/s " + (byNetwork() ? "between nodes" : "inside the node");
    }

    double seconds() const { return m_cost.time().value(); }

private:
    bool byNetwork() const { return m_cost.isBoundByNetwork(); }
    bool hasNodes() const { return m_group.nodes() > 1; }
    bool isForwarded() const { return m_op == Op::all_to_all && m_group.isForwarded(); }
    // Then nothing is sent inside a node.
    bool isOneOnEachNode() const { return hasNodes() && m_group.per_node == 1; }
    bool addsUpInNetwork() const
    {
        return m_op == Op::all_reduce && m_interconnect.in_network_reduction && hasNodes();
    }

    std::string algorithm() const
    {
        switch (m_op) {
        case Op::all_reduce:
            return reduction();
        case Op::all_gather:
        case Op::reduce_scatter:
            return "A ring: each of the n ranks sends (n - 1) / n of the message in n - 1 steps.";
        case Op::all_to_all:
            return isForwarded()
                       ? "Rows for another node cross the network to the rank in the sender's place there, "
                         "one "
                         "for all that the node needs of a token, and are handed on inside it while others "
                         "cross; what comes back is summed on each node first (DeepEP)."
                       : "Each of the n ranks sends every other one its part of the message, those of other "
                         "nodes through its node's network.";
        default:
            return "A chain: each of the n ranks hands the whole message on to the next.";
        }
    }

    std::string onSwitches() const { return m_cost.by_switch ? " The nodes' switches add up (NVLS)." : ""; }

    std::string reduction() const
    {
        if (addsUpInNetwork())
            return std::string{"Switches of the network add up (SHARP): each node's sum crosses it once"}
                   + (isOneOnEachNode() ? "." : "; inside the nodes a ring remains.");
        if (m_cost.by_trees)
            return "A pair of trees, of which each takes one half of the message up and down: the busiest of "
                   "these few nodes sends "
                   + std::string{m_group.nodes() == 2 ? "the message once"
                                                      : "one and a half times the message"}
                   + ", less than a ring's 2 (n - 1) / n of it." + onSwitches();
        if (hasNodes())
            return std::string{"The law stands for what NCCL chooses from: trees for small messages, whose "
                               "latency grows with log2(nodes), and rings for large ones, which send "
                               "2 (n - 1) / n of the message."}
                   + onSwitches();
        if (m_cost.by_switch)
            return "The node's switch adds up (NVLS); the latency is that of as many steps as a ring's, and "
                   "bytes count as on a ring.";
        return "A ring: each of the n ranks sends 2 (n - 1) / n of the message in 2 (n - 1) steps, once to "
               "add up and once to hand the sums on.";
    }

    std::string narrowest() const
    {
        if (!hasNodes())
            return "All of it passes the links inside the node.";
        const std::string network = plainTime(m_cost.networkTime().value());
        const std::string inside = plainTime(m_cost.insideTime().value());
        if (isOneOnEachNode())
            return byNetwork()
                       ? "All of it passes the network, as each node has one of the ranks: its bytes take "
                             + network + "."
                       : "A GPU's own links, by which it reaches the network, are the narrowest: its bytes "
                         "take "
                             + inside + ", those of the network " + network + ".";
        return byNetwork() ? "The network is the narrowest link: its bytes take " + network
                                 + ", those inside the nodes " + inside + "."
                           : "The links inside the nodes are the narrowest: their bytes take " + inside
                                 + ", those of the network " + network + ".";
    }

    std::string blend() const
    {
        return m_cost.blend < 1.0 ? " p below 1 makes middle sizes slower than both terms together, as "
                                    "changes of the protocol do."
                                  : "";
    }

    // "start + step * (n - 1)", on trees "step * log2(nodes)"
    Expression latency() const
    {
        const StepLatency& of = m_cost.latency;
        const bool is_tree = of.way == StepLatency::Way::tree;
        const bool is_reduction = m_op == Op::all_reduce;
        Sum sum;
        sum.addTime(is_reduction ? "latency of the link" : "start", of.start.value());
        const int ring = is_reduction    ? std::min(m_group.per_node, most_ring_members)
                         : isForwarded() ? m_group.nodes() + m_group.per_node - 1
                                         : m_group.members;
        const std::string around = bracketed(count(ring) + " - 1");
        const std::string steps = is_tree ? plain(of.steps) : is_reduction ? "2 * " + around : around;
        sum.addExpression(addsUpInNetwork() && is_tree ? "doubling, once for all nodes"
                          : is_tree                    ? "doubling * log2(nodes)"
                          : isForwarded()              ? "step * (nodes - 1 + n on a node - 1)"
                          : is_reduction
                              ? (hasNodes() ? "step * 2 * (n on a node - 1)" : "step * 2 * (n - 1)")
                              : "step * (n - 1)",
                          plainTime(of.step.value()) + " * " + steps);
        if (of.slower.value() > 0.0 && of.hops > 0.0)
            sum.addExpression(addsUpInNetwork() && is_tree ? "slower network * 2"
                              : is_tree                    ? "slower network * 2 * log2(nodes)"
                                                           : "slower network * (nodes - 1)",
                              plainTime(of.slower.value()) + " * " + plain(of.hops));
        return {sum.symbols(), sum.values()};
    }

    // What is sent of the message by a ring of so many.
    Expression onRing(const char* symbol, int members) const
    {
        const std::string n = count(members);
        const std::string message = plainBytes(m_message.value());
        const std::string n_1 = bracketed(n + " - 1") + " / " + n;
        const std::string symbols = bracketed(std::string{symbol} + " - 1") + " / " + symbol + " * message";
        switch (m_op) {
        case Op::all_reduce:
            return {"2 * " + symbols, "2 * " + n_1 + " * " + message};
        case Op::all_gather:
        case Op::reduce_scatter:
        case Op::all_to_all:
            return {symbols, n_1 + " * " + message};
        default:
            return {"message", message};
        }
    }

    std::string sentSymbols() const { return onRing("n", m_group.members).symbols; }

    Expression insideBytes() const
    {
        if (isForwarded()) {
            const std::string n = count(m_group.per_node);
            return {"(n on a node - 1) / n on a node * message",
                    bracketed(n + " - 1") + " / " + n + " * " + plainBytes(m_message.value())};
        }
        if (m_op == Op::all_to_all)
            return {"(n on a node - 1) / n * message", bracketed(count(m_group.per_node) + " - 1") + " / "
                                                           + count(m_group.members) + " * "
                                                           + plainBytes(m_message.value())};
        return addsUpInNetwork() ? onRing("n on a node", m_group.per_node) : onRing("n", m_group.members);
    }

    Expression networkBytes() const
    {
        const std::string message = plainBytes(m_message.value());
        if (m_op == Op::all_to_all) {
            const std::string n = count(m_group.members);
            const std::string senders = count(adaptersOf(m_group));
            if (isForwarded()) {
                const std::string nodes = count(m_group.nodes());
                return {"share of rows that cross * (nodes - 1) / nodes * n on a node * message",
                        plain(m_group.forwarded) + " * " + bracketed(nodes + " - 1") + " / " + nodes + " * "
                            + senders + " * " + message};
            }
            return {"(n - n on a node) / n * n on a node * message",
                    bracketed(n + " - " + senders) + " / " + n + " * " + senders + " * " + message};
        }
        if (m_cost.by_trees && m_group.nodes() == 3)
            return {"1.5 * message", "1.5 * " + message};
        return addsUpInNetwork() || m_cost.by_trees ? Expression{"message", message}
                                                    : onRing("n", m_group.members);
    }

    Expression inside() const
    {
        const double link = m_interconnect.intra.value();
        const int others = std::max(1, m_group.per_node - 1);
        const bool is_part = others < m_interconnect.mesh_peers;
        const double part = is_part ? static_cast<double>(others) / m_interconnect.mesh_peers : 1.0;
        const char* reached = m_cost.by_switch ? "reached by the switch" : "reached in a node";
        Expression expression{reached, plain(m_cost.inside.value() / link / part)};
        if (is_part) {
            expression.symbols += " * links to the others / all links";
            expression.values += " * " + count(others) + " / " + count(m_interconnect.mesh_peers);
        }
        expression.symbols += " * link";
        expression.values += " * " + plainBandwidth(link);
        return expression;
    }

    // The group's part of the node's network.
    Expression networkPart() const
    {
        const int groups = std::max(1, m_group.siblings);
        return {groups > 1 ? "node's network / groups that share it" : "node's network",
                plainBandwidth(m_interconnect.network.value()) + (groups > 1 ? " / " + count(groups) : "")};
    }

    double networkPartRate() const { return m_interconnect.network.value() / std::max(1, m_group.siblings); }

    // Or what its adapters carry, and less on many nodes.
    Expression ofNode() const
    {
        const CollectiveLaw& law = m_interconnect.law;
        const double adapters = adaptersTaken(m_op, m_group, law);
        const double adapter = m_interconnect.adapter.value();
        Expression expression = networkPart();
        if (adapters * adapter < networkPartRate())
            expression = {"NICs * NIC", plain(adapters) + " * " + plainBandwidth(adapter)};
        if (const double loss = lossPerDoubling(m_op, m_group, m_interconnect); loss > 0.0) {
            expression.symbols += " / (1 + loss * log2(nodes))";
            expression.values += " / (1 + " + plain(loss) + " * " + plain(std::log2(m_group.nodes())) + ")";
        }
        return expression;
    }

    Expression network() const
    {
        const double efficiency = m_interconnect.law.inter_efficiency;
        const double slowdown = podSlowdown(m_op, m_group, m_interconnect);
        Expression expression = networkPart();
        if (slowdown > 1.0 && networkPartRate() * efficiency / slowdown <= m_cost.network.value()) {
            expression.symbols += " / slower between pods";
            expression.values += " / " + plain(slowdown);
        } else {
            expression = ofNode();
        }
        return {"reached between nodes * " + expression.symbols,
                plain(efficiency) + " * " + expression.values};
    }

    Op m_op;
    Bytes m_message;
    Communicator m_group;
    const Interconnect& m_interconnect;
    CollectiveCost m_cost;
};

} // namespace

Explanation explainCollective(Op op, Bytes message, const Communicator& group,
                              const Interconnect& interconnect)
{
    const CollectiveTerms terms{op, message, group, interconnect};
    const Expression time = terms.time();
    Explanation explanation;
    explanation.title = terms.title();
    explanation.why = terms.why();
    explanation.formula = time.symbols;
    explanation.with_values = time.values + " = " + formatSeconds(terms.seconds());
    explanation.parts = terms.parts();
    explanation.source =
        "constants of the cluster: Advanced, Law of collectives; Help > Accuracy of predictions";
    return explanation;
}

Explanation explainCollective(const Cluster& cluster, const CollectiveQuestion& question,
                              std::int64_t message_bytes)
{
    const Machine machine{cluster};
    return explainCollective(question.op, Bytes{asDouble(message_bytes)}, communicatorOf(question, machine),
                             machine.interconnect);
}

std::string collectivePartsText(const Cluster& cluster, const CollectiveQuestion& question,
                                std::int64_t message_bytes)
{
    const Machine machine{cluster};
    return CollectiveTerms{question.op, Bytes{asDouble(message_bytes)}, communicatorOf(question, machine),
                           machine.interconnect}
        .inWords();
}

} // namespace shardscope

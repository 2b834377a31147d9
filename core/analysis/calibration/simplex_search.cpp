#include "core/analysis/calibration/simplex_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shardscope
{

namespace
{

struct Vertex {
    std::vector<double> place; // logarithms
    double loss = 0.0;
};

class Simplex
{
public:
    Simplex(const std::vector<double>& start, const std::function<double(const std::vector<double>&)>& loss)
        : m_loss{loss}
    {
        constexpr double first_step = 0.2;
        std::vector<double> place;
        for (const double value : start) {
            assert(value > 0.0);
            place.push_back(std::log(value));
        }
        add(place);
        for (double& coordinate : place) {
            coordinate += first_step;
            add(place);
            coordinate -= first_step;
        }
    }

    int evaluations() const { return m_evaluations; }

    const Vertex& best() const { return m_vertices.front(); }

    void step()
    {
        std::ranges::sort(m_vertices, {}, &Vertex::loss);
        const std::vector<double> middle = centre();
        Vertex& worst = m_vertices.back();
        const Vertex reflected = towards(middle, worst.place, -1.0);
        if (reflected.loss < m_vertices.front().loss) {
            const Vertex expanded = towards(middle, worst.place, -2.0);
            worst = expanded.loss < reflected.loss ? expanded : reflected;
        } else if (reflected.loss < m_vertices[m_vertices.size() - 2].loss) {
            worst = reflected;
        } else if (const Vertex contracted = towards(middle, worst.place, 0.5);
                   contracted.loss < worst.loss) {
            worst = contracted;
        } else {
            for (std::size_t i = 1; i < m_vertices.size(); ++i)
                m_vertices[i] = towards(m_vertices.front().place, m_vertices[i].place, 0.5);
        }
        std::ranges::sort(m_vertices, {}, &Vertex::loss);
    }

    std::vector<double> values(const Vertex& vertex) const
    {
        std::vector<double> values;
        for (const double coordinate : vertex.place)
            values.push_back(std::exp(coordinate));
        return values;
    }

private:
    void add(const std::vector<double>& place)
    {
        m_vertices.push_back({place, 0.0});
        evaluate(m_vertices.back());
    }

    void evaluate(Vertex& vertex)
    {
        vertex.loss = m_loss(values(vertex));
        ++m_evaluations;
    }

    // The middle of all but the worst.
    std::vector<double> centre() const
    {
        std::vector<double> middle(m_vertices.front().place.size());
        for (std::size_t v = 0; v + 1 < m_vertices.size(); ++v)
            for (std::size_t i = 0; i < middle.size(); ++i)
                middle[i] += m_vertices[v].place[i] / static_cast<double>(m_vertices.size() - 1);
        return middle;
    }

    Vertex towards(const std::vector<double>& from, const std::vector<double>& to, double share)
    {
        Vertex vertex{from, 0.0};
        for (std::size_t i = 0; i < from.size(); ++i)
            vertex.place[i] += share * (to[i] - from[i]);
        evaluate(vertex);
        return vertex;
    }

    const std::function<double(const std::vector<double>&)>& m_loss;
    std::vector<Vertex> m_vertices;
    int m_evaluations = 0;
};

} // namespace

std::vector<double> simplexSearch(std::vector<double> start,
                                  const std::function<double(const std::vector<double>&)>& loss,
                                  int evaluations)
{
    if (start.empty())
        return start;
    // A second simplex around the first one's answer leaves the corners that one got stuck in.
    for (int round = 1; round <= 2; ++round) {
        Simplex simplex{start, loss};
        while (simplex.evaluations() < evaluations / 2)
            simplex.step();
        start = simplex.values(simplex.best());
    }
    return start;
}

} // namespace shardscope

#include "widgets/panels/heatmap/expert_view.h"

#include "core/prediction/model/expert_load.h"
#include "core/prediction/predict.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/curves/curve_scene.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/session/shown_text.h"

#include <QEvent>
#include <QHBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace shardscope
{

namespace
{

constexpr std::size_t most_bars = 128;
constexpr std::int64_t most_choices = 16;
constexpr std::array<double, 4> capacity_factors{0.0, 1.0, 1.25, 2.0};

QString capacityName(double factor)
{
    return factor == 0.0 ? QStringLiteral("no limit") : QStringLiteral("capacity %1").arg(factor);
}

// The values of the axis that is drawn: 1, 2, 3, 4, 6, 8, ... and the scenario's own.
std::vector<std::int64_t> choicesOf(const Experts& experts)
{
    std::vector<std::int64_t> choices{1, 2, 3, 4, 6, 8, 12, 16, experts.per_token};
    std::erase_if(choices, [&](std::int64_t k) {
        return k > std::min(experts.count, std::max(most_choices, experts.per_token));
    });
    std::ranges::sort(choices);
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
    return choices;
}

CurveLine volumeLine(const Scenario& scenario, double factor, const Theme& theme)
{
    CurveLine line;
    const bool is_own = factor == scenario.model.experts.capacity_factor;
    line.colour = is_own ? theme.colour(Kind::ep) : theme.dimmed(theme.colour(Kind::ep));
    line.width = is_own ? 2.5 : 1.5;
    line.is_dashed = factor == 0.0;
    line.label = capacityName(factor);
    Scenario varied = scenario;
    varied.model.experts.capacity_factor = factor;
    for (const std::int64_t choices : choicesOf(scenario.model.experts)) {
        varied.model.experts.per_token = choices;
        if (const double bytes = expertBytes(varied); bytes > 0.0)
            line.points.push_back({static_cast<double>(choices), bytes});
    }
    return line;
}

// Load over an even share of every rank's experts, as measured.
BarScene measuredLoadScene(const std::vector<MeasuredExpertLoad>& loads, const Theme& theme)
{
    BarScene scene;
    scene.closes_thin_gaps = true;
    double most = 1.0;
    for (const MeasuredExpertLoad& of_rank : loads) {
        most = std::max(most, of_rank.load);
        Bar bar;
        bar.centre = static_cast<double>(scene.bars.size());
        bar.segments.push_back({std::max(0.0, of_rank.load),
                                theme.colour(Kind::ep),
                                BarTexture::striped,
                                false,
                                {},
                                QString::number(of_rank.load, 'f', 2)});
        scene.category_labels.push_back({bar.centre, QString::number(of_rank.rank)});
        scene.bars.push_back(std::move(bar));
    }
    scene.category_low = -0.6;
    scene.category_high = static_cast<double>(scene.bars.size()) - 0.4;
    scene.category_title = QStringLiteral("rank");
    scene.value_high = ceilingTick(1.05 * most, AxisUnit::count);
    scene.note = QStringLiteral("Measured tokens over an even share");
    return scene;
}

// Bytes to experts in an iteration, all ranks together, against top-k; a line for each capacity factor, that
// of the scenario among them.
CurveScene expertVolumeScene(const Scenario& scenario, const Theme& theme)
{
    CurveScene scene;
    if (scenario.parallel.expert < 2) {
        scene.hint = QStringLiteral(
            "With expert parallelism of 1 tokens stay on their GPU: nothing is sent to experts");
        return scene;
    }
    std::vector<double> factors{capacity_factors.begin(), capacity_factors.end()};
    if (std::ranges::find(factors, scenario.model.experts.capacity_factor) == factors.end())
        factors.push_back(scenario.model.experts.capacity_factor);
    double low = 0.0;
    double high = 0.0;
    for (const double factor : factors) {
        CurveLine line = volumeLine(scenario, factor, theme);
        for (const QPointF& point : line.points) {
            low = low > 0.0 ? std::min(low, point.y()) : point.y();
            high = std::max(high, point.y());
        }
        scene.lines.push_back(std::move(line));
    }
    scene.x_unit = AxisUnit::doublings;
    scene.x_title = QStringLiteral("experts for each token");
    scene.y_unit = AxisUnit::bytes;
    scene.x_high = static_cast<double>(std::max<std::int64_t>(2, choicesOf(scenario.model.experts).back()));
    scene.y_low = std::max(1.0, low / 1.5);
    scene.y_high = std::max(10.0, high * 1.5);
    scene.y_title = QStringLiteral("sent to experts, all GPUs");
    scene.note = QStringLiteral("in one iteration");
    scene.marks.push_back({{static_cast<double>(scenario.model.experts.per_token), expertBytes(scenario)},
                           theme.colour(Hue::measured)});
    return scene;
}

} // namespace

double expertBytes(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return 0.0;
    const Parallel& parallel = scenario.parallel;
    const auto ranks = static_cast<double>(parallel.tensor * parallel.context * parallel.data);
    double bytes = 0.0;
    for (const StagePrediction& stage : prediction.value().stages)
        for (const Message& message : stage.messages)
            if (message.kind == Kind::ep)
                bytes += ranks * message.wire_bytes;
    return bytes;
}

BarScene expertLoadScene(const Scenario& scenario, const Theme& theme)
{
    const Experts& experts = scenario.model.experts;
    const std::vector<double> shares = expertShares(experts);
    const std::size_t together = (shares.size() + most_bars - 1) / most_bars;
    BarScene scene;
    scene.closes_thin_gaps = true;
    double most = experts.capacity_factor;
    for (std::size_t first = 0; first < shares.size(); first += together) {
        const std::size_t last = std::min(shares.size(), first + together);
        const double mean = std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(first),
                                            shares.begin() + static_cast<std::ptrdiff_t>(last), 0.0)
                            / static_cast<double>(last - first);
        const double load = mean * static_cast<double>(shares.size());
        most = std::max(most, load);
        Bar bar;
        bar.centre = static_cast<double>(scene.bars.size());
        bar.segments.push_back(
            {load, theme.colour(Kind::ep), BarTexture::solid, false, {}, QString::number(load, 'f', 2)});
        scene.category_labels.push_back({bar.centre, QString::number(first)});
        scene.bars.push_back(std::move(bar));
    }
    scene.category_low = -0.6;
    scene.category_high = static_cast<double>(scene.bars.size()) - 0.4;
    scene.category_title = QStringLiteral("expert");
    scene.value_high = ceilingTick(1.05 * most, AxisUnit::count);
    if (experts.capacity_factor > 0.0)
        scene.limit =
            BarLimit{experts.capacity_factor, QStringLiteral("capacity %1").arg(experts.capacity_factor)};
    scene.note = experts.skew > 0.0 ? QStringLiteral("Tokens over an even share, skew %1").arg(experts.skew)
                                    : QStringLiteral("Tokens over an even share: all alike");
    return scene;
}

ExpertView::ExpertView(QWidget* parent)
    : QWidget{parent},
      m_loads{new BarChart{Qt::Vertical, this}},
      m_measured_loads{new BarChart{Qt::Vertical, this}},
      m_volumes{new CurveView{this}}
{
    m_loads->setAccessibleName(QStringLiteral("Load of the experts"));
    m_measured_loads->setAccessibleName(QStringLiteral("Measured load of the experts of each rank"));
    m_volumes->setAccessibleName(QStringLiteral("Bytes to experts against experts for each token"));
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_loads, 1);
    line->addWidget(m_measured_loads, 1);
    line->addWidget(m_volumes, 1);
    m_loads->setTip([this](int bar, int segment) {
        return QStringLiteral("expert %1: %2 times an even share")
            .arg(m_loads->scene().category_labels[static_cast<std::size_t>(bar)].text,
                 m_loads->scene()
                     .bars[static_cast<std::size_t>(bar)]
                     .segments[static_cast<std::size_t>(segment)]
                     .amount);
    });
    connect(m_volumes, &CurveView::hovered, this, [this](double choices) {
        if (!m_predicted || choices <= 0.0)
            return emit hinted({});
        Scenario scenario = m_predicted->scenario;
        scenario.model.experts.per_token =
            std::clamp<std::int64_t>(std::llround(choices), 1, scenario.model.experts.count);
        emit hinted(QStringLiteral("%1 experts for each token: %2 sent to experts in an iteration")
                        .arg(scenario.model.experts.per_token)
                        .arg(bytesText(expertBytes(scenario))));
    });
}

void ExpertView::setPredicted(std::shared_ptr<const PredictedScenario> predicted)
{
    m_predicted = std::move(predicted);
    refresh();
}

void ExpertView::setMeasured(std::vector<MeasuredExpertLoad> loads)
{
    m_measured = std::move(loads);
    refresh();
}

bool ExpertView::hasExperts(const std::shared_ptr<const PredictedScenario>& predicted)
{
    return predicted && predicted->scenario.model.hasExpertLayers();
}

void ExpertView::refresh()
{
    const Theme theme{palette()};
    const bool is_predicted = hasExperts(m_predicted);
    m_loads->setVisible(is_predicted);
    m_volumes->setVisible(is_predicted);
    m_measured_loads->setVisible(!m_measured.empty());
    if (!m_measured.empty())
        m_measured_loads->setScene(measuredLoadScene(m_measured, theme));
    if (!is_predicted)
        return;
    m_loads->setScene(expertLoadScene(m_predicted->scenario, theme));
    m_volumes->setScene(expertVolumeScene(m_predicted->scenario, theme));
}

void ExpertView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

TableRows ExpertView::table() const
{
    TableRows table{{"what", "of", "x", "value"}};
    const auto addLoads = [&](const BarScene& scene, const QString& what) {
        for (std::size_t bar = 0; bar < scene.bars.size(); ++bar)
            table.push_back({what, scene.category_title, scene.category_labels[bar].text,
                             QString::number(scene.bars[bar].segments.front().value, 'g', 15)});
    };
    if (hasExperts(m_predicted))
        addLoads(m_loads->scene(), QStringLiteral("tokens over an even share"));
    if (!m_measured.empty())
        addLoads(m_measured_loads->scene(), QStringLiteral("measured tokens over an even share"));
    if (hasExperts(m_predicted))
        for (const CurveLine& line : m_volumes->scene().lines)
            for (const QPointF& point : line.points)
                table.push_back({QStringLiteral("bytes to experts"), line.label, QString::number(point.x()),
                                 QString::number(point.y(), 'g', 15)});
    return table;
}

void ExpertView::paintTo(QPainter& painter, const QRectF& rectangle)
{
    const bool is_predicted = hasExperts(m_predicted);
    const int parts = (is_predicted ? 2 : 0) + (m_measured.empty() ? 0 : 1);
    QRectF part = rectangle;
    part.setWidth(rectangle.width() / std::max(1, parts));
    const auto paint = [&](auto* chart) {
        chart->paintTo(painter, part);
        part.translate(part.width(), 0.0);
    };
    if (is_predicted)
        paint(m_loads);
    if (!m_measured.empty())
        paint(m_measured_loads);
    if (is_predicted)
        paint(m_volumes);
}

} // namespace shardscope

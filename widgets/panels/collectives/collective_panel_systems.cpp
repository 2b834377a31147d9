// Other clusters beside the scenario's in the explorer of collectives.
#include "widgets/panels/collectives/collective_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/session/shown_text.h"

#include "widgets/panels/controls/short_choice_box.h"
#include "widgets/plots/theme.h"

#include <QEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr std::array offered_sizes{std::int64_t{1} << 20, std::int64_t{1} << 24, std::int64_t{1} << 28,
                                   std::int64_t{1} << 32};
constexpr int first_size = 2; // 256 MiB: bandwidth rules

// Systems that papers hold against each other, and the usual machines of four generations.
struct SystemSet {
    const char* title;
    std::vector<const char*> names;
};

const std::vector<SystemSet>& systemSets()
{
    static const std::vector<SystemSet> sets{
        {"Polaris and ThetaGPU (Cheng et al. 2024)",
         {"polaris-slingshot10", "thetagpu-a100-40gb", "thetagpu-a100-80gb"}},
        {"V100 NVLink, V100 PCIe, RTX 3090 (Li et al. 2024)",
         {"v100-nvlink-100g-roce", "v100-pcie-100g-roce", "rtx3090-pcie-100g-roce"}},
        {"A100, H100, H200, B200, GB200", {"dgx-a100", "dgx-h100", "hgx-h200", "aws-p6-b200", "gb200-nvl72"}},
    };
    return sets;
}

// Somebody has published how fast its links are; of a GPU alone nobody has.
bool hasLinks(const ClusterPreset& preset)
{
    return std::ranges::none_of(
        preset.missing, [](const std::string& key) { return key.ends_with("intra_node.bandwidth_GBps"); });
}

// As many of the cluster's nodes as come next to these GPUs.
CollectiveGroup wholeNodes(const Cluster& cluster, int gpus)
{
    const double nodes = static_cast<double>(gpus) / groupOfNodes(cluster, 1).ranks;
    return groupOfNodes(cluster, std::max(1, static_cast<int>(std::lround(nodes))));
}

} // namespace

void CollectivePanel::fillSystems()
{
    for (const std::int64_t size : offered_sizes)
        m_size_box->addItem(bytesText(static_cast<double>(size)), QVariant::fromValue(size));
    m_size_box->setCurrentIndex(first_size);
    m_size_box->setToolTip(tr("Size of the messages"));
    m_size_box->setAccessibleName(m_size_box->toolTip());
    m_systems_button->setText(tr("compare"));
    m_systems_button->setToolTip(tr("Other systems beside the scenario's cluster"));
    m_systems_button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu{m_systems_button};
    menu->installEventFilter(this);
    m_systems_button->setMenu(menu);
    m_systems_button->setVisible(false); // until there are systems
}

// Those without figures of their own would be drawn with others'.
void CollectivePanel::setPresets(const Presets& presets)
{
    m_systems.clear();
    for (const ClusterPreset& preset : presets.clusters())
        if (preset.cluster.calibrated && hasLinks(preset))
            m_systems.push_back({toQString(preset.name), toQString(preset.title), preset.cluster});
    fitTools();
    QMenu& menu = *m_systems_button->menu();
    menu.clear();
    addSystemSets(menu);
    for (const System& system : m_systems) {
        QAction* action = menu.addAction(system.title);
        action->setCheckable(true);
        action->setData(system.name);
        connect(action, &QAction::toggled, this, [this, name = system.name](bool on) {
            QStringList names = m_compared;
            names.removeAll(name);
            if (on)
                names << name;
            compare(names);
        });
    }
    compare(m_compared);
}

void CollectivePanel::addSystemSets(QMenu& menu)
{
    menu.addAction(tr("Only the scenario's cluster"), this, [this] { compare({}); });
    for (const SystemSet& set : systemSets()) {
        QStringList names;
        for (const char* name : set.names)
            names << QString::fromUtf8(name);
        menu.addAction(QString::fromUtf8(set.title), this, [this, names] { compare(names); });
    }
    menu.addSeparator();
}

void CollectivePanel::compare(const QStringList& clusters)
{
    m_compared.clear();
    for (const QString& name : clusters)
        if (std::ranges::find(m_systems, name, &System::name) != m_systems.end())
            m_compared << name;
    for (QAction* action : m_systems_button->menu()->actions())
        if (action->isCheckable()) {
            const QSignalBlocker quiet{action};
            action->setChecked(m_compared.contains(action->data().toString()));
        }
    readContent();
    refresh();
}

// A click on a system leaves the menu open for the next.
bool CollectivePanel::eventFilter(QObject* object, QEvent* event)
{
    auto* menu = qobject_cast<QMenu*>(object);
    if (menu == nullptr || event->type() != QEvent::MouseButtonRelease)
        return PicturePanel::eventFilter(object, event);
    QAction* action = menu->actionAt(static_cast<QMouseEvent*>(event)->pos());
    if (action == nullptr || !action->isCheckable())
        return PicturePanel::eventFilter(object, event);
    action->toggle();
    return true;
}

std::vector<const CollectivePanel::System*> CollectivePanel::compared() const
{
    std::vector<const System*> systems;
    for (const QString& name : m_compared)
        systems.push_back(&*std::ranges::find(m_systems, name, &System::name));
    return systems;
}

QString CollectivePanel::ownName() const
{
    const std::string& preset = m_content.predicted->scenario.cluster.preset;
    return preset.empty() ? tr("scenario") : tr("scenario: %1").arg(toQString(preset));
}

void CollectivePanel::addOthersOverSizes(std::vector<Series>& all) const
{
    int other = 0;
    for (const System* system : compared()) {
        const CollectiveGroup there =
            groupOn(system->cluster, m_content.predicted->scenario.parallel, *group());
        all.push_back(curve(system->cluster, there));
        all.back().label = system->name;
        all.back().other = other++;
    }
}

// Each cluster's nodes are its own: four GPUs or eight.
std::vector<CollectivePanel::Series> CollectivePanel::othersOverNodes() const
{
    std::vector<Series> all;
    int other = 0;
    for (const System* system : compared()) {
        all.push_back(curveOverNodes(system->cluster, comparedSize()));
        all.back().label = system->name;
        all.back().other = other++;
    }
    all.push_back(curveOverNodes(m_content.predicted->scenario.cluster, comparedSize()));
    all.back().label = ownName();
    all.back().is_main = true;
    return all;
}

std::int64_t CollectivePanel::comparedSize() const
{
    return m_size_box->currentData().value<std::int64_t>();
}

QColor CollectivePanel::otherColour(int other) const
{
    const Theme theme{palette()};
    constexpr std::array hues{Hue::ep,  Hue::pp,      Hue::dp,        Hue::tp,          Hue::cp,
                              Hue::emb, Hue::weights, Hue::gradients, Hue::activations, Hue::optimizer};
    // The scenario's own colour is no other's.
    std::vector<QColor> colours;
    for (const Hue hue : hues)
        if (theme.colour(hue) != mainColour())
            colours.push_back(theme.colour(hue));
    return colours[static_cast<std::size_t>(other) % colours.size()];
}

// "polaris-slingshot10 31 ms (16 GB/s)". Over whole nodes as many of the cluster's own as come next to the
// GPUs, which it then names: "gb200-nvl72 on 72 GPUs 3 ms (400 GB/s)".
QString CollectivePanel::comparedPart(const QString& name, const Cluster& cluster, int ranks,
                                      std::int64_t bytes) const
{
    const CollectiveGroup of = hasGpusAlong()
                                   ? wholeNodes(cluster, ranks)
                                   : groupOn(cluster, m_content.predicted->scenario.parallel, *group());
    if (of.ranks < 2)
        return {};
    const CollectivePoint point = collectivePoint(cluster, op(), of, bytes);
    const double error = point.error_band[1];
    return tr("%1%2 %3%4 (%5 GB/s)")
        .arg(name, of.ranks == ranks ? QString{} : tr(" on %1 GPUs").arg(of.ranks), secondsText(point.time_s),
             error > 0.0 ? tr(" ± %1").arg(percentText(error)) : QString{},
             QString::number(point.busbw_GBps, 'g', 3));
}

// "all_reduce of 256 MiB over 64 GPUs: ", "scenario 12 ms (40 GB/s)", "polaris-slingshot10 31 ms (16 GB/s)"
QStringList CollectivePanel::comparedLines(double x) const
{
    const bool over_nodes = m_along == Along::nodes;
    const Cluster& own = m_content.predicted->scenario.cluster;
    const int ranks =
        over_nodes ? wholeNodes(own, std::max(1, static_cast<int>(std::lround(x)))).ranks : group()->ranks;
    const std::int64_t bytes = over_nodes ? comparedSize() : static_cast<std::int64_t>(std::llround(x));
    QStringList parts{comparedPart(ownName(), own, ranks, bytes)};
    for (const System* system : compared())
        parts << comparedPart(system->name, system->cluster, ranks, bytes);
    parts.removeAll(QString{});
    parts.prepend(tr("%1 of %2 over %3: ")
                      .arg(toQString(word(op())), bytesText(static_cast<double>(bytes)),
                           over_nodes ? tr("%1 GPUs").arg(ranks) : tr("%1 ranks").arg(ranks)));
    return parts;
}

} // namespace shardscope

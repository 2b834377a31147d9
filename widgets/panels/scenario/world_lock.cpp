#include "widgets/panels/scenario/world_lock.h"

#include "widgets/panels/controls/glyph.h"
#include "widgets/session/shown_text.h"

#include "core/scenario/scenario_change.h"

#include <algorithm>
#include <string>
#include <utility>

namespace shardscope
{

namespace
{

// As near to the number as the other dimensions let it come.
bool hasWorld(const Scenario& scenario, std::int64_t gpus)
{
    return boundedWorldSize(scenario.parallel) <= gpus
           && withWorldSize(scenario, gpus).parallel.data == scenario.parallel.data;
}

} // namespace

WorldLock::WorldLock(QWidget* parent) : QToolButton{parent}
{
    setCheckable(true);
    setAutoRaise(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Lock the number of GPUs"));
    connect(this, &QToolButton::clicked, this, [this] {
        m_set.reset();
        m_gpus = m_used;
        refresh();
    });
    refresh();
}

void WorldLock::keep(std::int64_t gpus)
{
    m_before_edit = Left{isChecked(), m_gpus, m_set};
    m_gpus = std::max<std::int64_t>(1, gpus);
    if (!isChecked() || m_set)
        m_set = m_gpus;
    setChecked(true);
    refresh();
}

void WorldLock::beginStep(int step)
{
    m_left.insert(m_step, m_before_edit.value_or(Left{isChecked(), m_gpus, m_set}));
    m_step = step;
    const auto left = m_left.constFind(step);
    m_is_back = left != m_left.cend();
    if (!m_is_back)
        return;
    m_gpus = left->gpus;
    m_set = left->set;
    setChecked(left->is_closed);
    refresh();
}

void WorldLock::setScenario(const Scenario& scenario, bool made_here)
{
    const std::int64_t used = std::exchange(m_used, boundedWorldSize(scenario.parallel));
    if (std::exchange(m_is_back, false) || made_here || m_used == used)
        return;
    follow(scenario);
    refresh();
}

void WorldLock::follow(const Scenario& scenario)
{
    if (m_set) {
        m_gpus = *m_set;
        setChecked(hasWorld(scenario, m_gpus));
    } else if (isChecked() && !hasWorld(scenario, m_gpus)) {
        m_gpus = m_used;
    }
}

void WorldLock::open()
{
    if (m_is_back)
        return;
    m_set.reset();
    setChecked(false);
    refresh();
}

Scenario WorldLock::keeping(Scenario scenario, Dimension moved) const
{
    return isChecked() ? keepingWorldSize(std::move(scenario), m_gpus, moved) : scenario;
}

QString WorldLock::remark() const
{
    if (!isChecked() || m_used == m_gpus)
        return {};
    const std::string kept =
        m_used < m_gpus ? countedSentence(m_gpus, "", "# GPUs cannot be divided like this")
                        : countedSentence(m_gpus, "1 GPU is too few for this", "# GPUs are too few for this");
    return toQString(kept + countedSentence(m_used, "; 1 is used.", "; # are used."));
}

void WorldLock::refresh()
{
    setIcon(glyphIcon(isChecked() ? Glyph::locked : Glyph::unlocked));
    const QString number = toQString(countedSentence(m_gpus, "1 GPU", "# GPUs"));
    setToolTip(
        !isChecked() ? tr("Click to keep the number of GPUs while p, t, c and d move. Setting the number "
                          "keeps it, too.")
        : m_set      ? tr("Locked at %1, which you set: moving p, t or c moves d. Click to let the number "
                               "follow.")
                      .arg(number)
                : tr("Locked at %1: moving p, t or c moves d. Click to let the number follow.").arg(number));
}

} // namespace shardscope

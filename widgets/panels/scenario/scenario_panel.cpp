#include "widgets/panels/scenario/scenario_panel.h"

#include "widgets/panels/scenario/figure_names.h"
#include "widgets/panels/scenario/following_note.h"
#include "widgets/panels/scenario/scenario_figures.h"
#include "widgets/panels/scenario/scenario_preset_list.h"
#include "widgets/panels/scenario/setting_finder.h"
#include "widgets/panels/scenario/world_lock.h"
#include "widgets/plots/theme.h"

#include "core/scenario/scenario_change.h"

#include <QGuiApplication>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

const QString world_key = QStringLiteral("world_size");

QLabel* heading(const QString& text)
{
    auto* label = new QLabel{text};
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    label->setContentsMargins(4, 6, 4, 1);
    return label;
}

// Into its field, which the mouse has not just left for something else.
bool isTyped(const QWidget& line, int drag_id)
{
    return drag_id < 0 && qobject_cast<const ScenarioNumberRow*>(&line)
           && QGuiApplication::mouseButtons() == Qt::NoButton;
}

} // namespace

ScenarioPanel::ScenarioPanel(const Presets& presets, QWidget* parent)
    : QWidget{parent}, m_presets{presets}, m_effects{[this](const std::vector<SettingEffect>& effects) {
          showEffects(effects);
      }}
{
    auto* column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_problem = new QLabel;
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(8, 4, 8, 4);
    m_problem->hide();
    connect(m_problem, &QLabel::linkActivated, this, &ScenarioPanel::reveal);
    makeFinder(*column);
    m_scroll = new QScrollArea;
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* form = new QWidget;
    auto* form_column = new QVBoxLayout{form};
    form_column->setContentsMargins(0, 0, 0, 0);
    form_column->setSpacing(0);
    form_column->addWidget(m_problem);
    form_column->addWidget(m_scroll, 1);
    column->addWidget(form, 1);
    m_anchor.emplace(*form, *m_scroll);
    constexpr int rest_ms = 200;
    m_rest = new QTimer{this};
    m_rest->setSingleShot(true);
    m_rest->setInterval(rest_ms);
    connect(m_rest, &QTimer::timeout, this, &ScenarioPanel::askEffects);
    fill();
    refresh();
}

void ScenarioPanel::fill()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout{content};
    column->setContentsMargins(4, 0, 4, 8);
    column->setSpacing(1);
    const std::vector<ScenarioSection> sections = everydaySections();
    for (const ScenarioSection& section : sections) {
        ScenarioPresetList* head = nullptr;
        if (&section == &sections.front())
            head = m_models = makeModelList();
        if (&section == &sections.back())
            head = m_clusters = makeClusterList();
        addSection(*column, section, head);
    }
    addLock();
    m_unfold = new QToolButton;
    m_unfold->setText(tr("Advanced"));
    m_unfold->setToolTip(tr("Every other figure: model in detail, experts, conventions, links"));
    m_unfold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_unfold->setArrowType(Qt::RightArrow);
    m_unfold->setAutoRaise(true);
    m_unfold->setFocusPolicy(Qt::StrongFocus);
    connect(m_unfold, &QToolButton::clicked, this, [this] { unfold(!m_is_unfolded); });
    column->addSpacing(6);
    column->addWidget(m_unfold);
    column->addStretch(1);
    m_scroll->setWidget(content);
    m_scroll->setMinimumWidth(content->minimumSizeHint().width()
                              + m_scroll->verticalScrollBar()->sizeHint().width());
}

void ScenarioPanel::addSection(QVBoxLayout& column, const ScenarioSection& section, ScenarioPresetList* head)
{
    Group group{QString::fromUtf8(section.title), nullptr, head, nullptr, {}};
    group.heading = heading(group.title);
    column.addWidget(group.heading);
    if (head) {
        group.head = headOf(*head);
        column.addWidget(group.head);
    }
    for (const ScenarioControl& control : section.controls) {
        ScenarioRow* row = createRow(control, m_scenario, column.parentWidget());
        column.addWidget(row);
        m_rows.push_back(row);
        group.rows.push_back(row);
        m_row_of_key.insert(row->key(), row);
        row->setPinned(m_pinned ? &m_pinned->scenario : nullptr);
        connect(row, &ScenarioRow::wished, this,
                [this, row](const Scenario& scenario, const QString& gesture, int drag_id) {
                    takeWish(row, row->key(), scenario, gesture, drag_id);
                });
    }
    m_groups.push_back(std::move(group));
}

void ScenarioPanel::addLock()
{
    auto* world = static_cast<ScenarioNumberRow*>(m_row_of_key.value(world_key));
    m_lock = new WorldLock;
    world->addControl(m_lock);
    connect(world, &ScenarioNumberRow::numberWished, m_lock,
            [this](double gpus) { m_lock->keep(static_cast<std::int64_t>(gpus)); });
    connect(m_lock, &WorldLock::clicked, world, [this, world] { world->setRemark(m_lock->remark()); });
}

void ScenarioPanel::unfold(bool unfolded)
{
    m_is_unfolded = unfolded;
    m_unfold->setArrowType(unfolded ? Qt::DownArrow : Qt::RightArrow);
    showAdvanced();
    refresh();
    setProblems(m_problems);
}

void ScenarioPanel::showAdvanced()
{
    const bool is_shown = m_is_unfolded || m_search.isOn();
    if (is_shown && !m_advanced)
        makeAdvanced();
    if (m_advanced)
        m_advanced->setVisible(is_shown);
}

void ScenarioPanel::makeAdvanced()
{
    m_advanced = new QWidget;
    auto* column = new QVBoxLayout{m_advanced};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    for (const ScenarioSection& section : advancedSections())
        addSection(*column, section, nullptr);
    auto* outer = static_cast<QVBoxLayout*>(m_scroll->widget()->layout());
    outer->insertWidget(outer->count() - 1, m_advanced);
}

// What was moved, and what follows from it: other sizes of the model, the other dimensions where the GPU
// count is locked, conventions, the presets' names.
void ScenarioPanel::takeWish(QWidget* line, const QString& key, Scenario scenario, const QString& gesture,
                             int drag_id)
{
    if (line == m_models)
        m_model_edits.begin(scenario.model);
    else if (key.startsWith("model."))
        scenario.model = m_model_edits.set(key.toStdString(), scenario.model);
    if (const std::optional<Dimension> moved = dimensionOf(key))
        scenario = m_lock->keeping(std::move(scenario), *moved);
    scenario = withFollowingConventions(m_scenario, std::move(scenario));
    const ModelPreset* model = matchingPreset(scenario.model, m_presets);
    scenario.model.preset = model ? model->name : std::string{};
    const ClusterPreset* cluster = matchingPreset(scenario.cluster, m_presets);
    scenario.cluster.preset = cluster ? cluster->name : std::string{};
    const QString followed = followingNote(m_scenario, scenario, key, gesture);
    m_wishing = true;
    m_anchor->use(line, isTyped(*line, drag_id));
    emit scenarioWished(scenario, gesture, drag_id);
    m_wishing = false;
    m_lock->endEdit();
    if (!followed.isEmpty())
        emit told(followed);
    refresh(); // an edit that changed nothing leaves the text that was typed
    m_anchor->use(nullptr);
}

ScenarioPanel::~ScenarioPanel()
{
    *m_stop = true;
}

void ScenarioPanel::setScenario(const Scenario& scenario)
{
    m_model = originOf(scenario.model, m_scenario.model, m_model, m_presets);
    m_cluster = originOf(scenario.cluster, m_scenario.cluster, m_cluster, m_presets);
    m_model_edits.show(scenario.model);
    m_scenario = scenario;
    m_lock->setScenario(scenario, m_wishing);
    refresh();
}

void ScenarioPanel::beginStep(int step)
{
    m_lock->beginStep(step);
}

void ScenarioPanel::beginDocument()
{
    m_lock->open();
}

void ScenarioPanel::refresh()
{
    m_anchor->hold();
    for (ScenarioRow* row : m_rows) {
        if (m_advanced && m_advanced->isHidden() && m_advanced->isAncestorOf(row))
            continue;
        const bool is_shown = row->applies() && isFound(row);
        row->setVisible(is_shown);
        if (!is_shown)
            continue;
        row->refresh();
        row->refreshNote();
    }
    showFound();
    refreshPresets();
    m_row_of_key.value(world_key)->setRemark(m_lock->remark());
    m_anchor->settle();
    *m_stop = true; // of the scenario before
    m_effects.forget();
    if (m_advanced && !m_advanced->isHidden())
        m_rest->start();
}

void ScenarioPanel::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_anchor->release();
}

// What moving each switch would do, once nothing has moved for a while: it takes a prediction for each,
// beside the window.
void ScenarioPanel::askEffects()
{
    if (!m_advanced || m_advanced->isHidden())
        return;
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_effects.start([scenario = m_scenario, stop = m_stop] { return settingEffects(scenario, stop.get()); });
}

void ScenarioPanel::showEffects(const std::vector<SettingEffect>& effects)
{
    QHash<QString, QString> remarks;
    for (const SettingEffect& effect : effects)
        remarks.insert(QString::fromStdString(effect.key), QString::fromStdString(effect.sentence));
    m_anchor->hold();
    for (ScenarioRow* row : m_rows)
        if (m_advanced->isAncestorOf(row))
            row->setRemark(remarks.value(row->key()));
    m_anchor->settle();
}

void ScenarioPanel::setPinned(std::shared_ptr<const PredictedScenario> pinned)
{
    if (pinned == m_pinned)
        return;
    m_pinned = std::move(pinned);
    for (ScenarioRow* row : m_rows)
        row->setPinned(m_pinned ? &m_pinned->scenario : nullptr);
}

void ScenarioPanel::setProblems(const std::vector<Problem>& problems)
{
    m_problems = problems;
    QHash<QString, QString> sentences;
    for (const Problem& problem : problems) {
        const QString field = QString::fromStdString(problem.field);
        if (!sentences.contains(field))
            sentences.insert(field, sentenceOnScreen(problem));
    }
    m_anchor->hold();
    for (ScenarioRow* row : m_rows)
        row->setProblem(sentences.value(row->key()));
    showUnplacedProblem();
    m_anchor->settle();
}

void ScenarioPanel::showUnplacedProblem()
{
    m_problem->hide();
    for (const Problem& problem : m_problems) {
        const QString field = QString::fromStdString(problem.field);
        const ScenarioRow* row = m_row_of_key.value(field);
        if (row && !row->isHidden()
            && !(m_advanced && m_advanced->isHidden() && m_advanced->isAncestorOf(row)))
            continue;
        QPalette colours = palette();
        colours.setColor(QPalette::WindowText, Theme{palette()}.colour(Hue::limit));
        m_problem->setPalette(colours);
        m_problem->setText(withUnbrokenNumbers(sentenceOnScreen(problem)).toHtmlEscaped()
                           + QString{" <a href=\"%1\">%2</a>"}.arg(field, tr("Show")));
        m_problem->show();
        return;
    }
}

ScenarioRow* ScenarioPanel::row(const QString& key)
{
    if (!m_row_of_key.contains(key))
        unfold(true);
    return m_row_of_key.value(key);
}

void ScenarioPanel::reveal(const QString& key)
{
    ScenarioRow* line = row(key);
    if (!line)
        return;
    if (!isFound(line))
        m_finder->clear();
    if (m_advanced && m_advanced->isAncestorOf(line))
        unfold(true);
    if (QWidget* control = line->nextInFocusChain())
        control->setFocus(Qt::OtherFocusReason);
    // Once lines that were hidden have their places.
    QTimer::singleShot(0, line, [this, line] { m_scroll->ensureWidgetVisible(line); });
}

QSize ScenarioPanel::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 48, 800};
}

} // namespace shardscope

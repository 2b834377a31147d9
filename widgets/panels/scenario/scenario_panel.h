#pragma once

#include "widgets/panels/scenario/form_anchor.h"
#include "widgets/panels/scenario/setting_search.h"
#include "widgets/session/content.h"
#include "widgets/session/latest_job.h"

#include "core/report/explanation/setting_effects.h"
#include "core/scenario/model_edits.h"
#include "core/scenario/preset_origin.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"
#include "core/scenario/validation/validation.h"

#include <QHash>
#include <QSet>
#include <QWidget>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QScrollArea;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace shardscope
{

struct ScenarioSection;
class CollectiveLawNote;
class ScenarioPresetList;
class ScenarioRow;
class SettingFinder;
class WorldLock;

// Every figure of the scenario, to be moved: sliders and numbers in the everyday sections, the rest under
// "Advanced". A problem's sentence stands below the figure that should change.
class ScenarioPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ScenarioPanel(const Presets& presets, QWidget* parent = nullptr);
    ~ScenarioPanel() override;

    void setScenario(const Scenario& scenario);
    // The scenario that comes next is that of this step of the undo history.
    void beginStep(int step);
    // Another document's scenario comes next.
    void beginDocument();
    // Its figures are marked on the sliders; null: nothing is pinned.
    void setPinned(std::shared_ptr<const PredictedScenario> pinned);
    void setProblems(const std::vector<Problem>& problems);
    // The presets have become others.
    void refillPresets();
    // The line of a key ("parallel.tensor"); unfolds the advanced section where it is there. Null: no such
    // line.
    ScenarioRow* row(const QString& key);
    // Scrolls to the line of a key and puts the focus into it.
    void reveal(const QString& key);
    // Puts the focus into the field that settings are searched with.
    void beginSearch();

    QSize sizeHint() const override;

signals:
    // Edits of one drag share a drag_id >= 0.
    void scenarioWished(const shardscope::Scenario& scenario, const QString& gesture, int drag_id);
    // Worth a word, once: what an edit changed elsewhere in the form.
    void told(const QString& sentence);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    // A heading and what stands below it.
    struct Group {
        QString title;
        QLabel* heading = nullptr;
        ScenarioPresetList* presets = nullptr; // null: it has none
        QWidget* head = nullptr;               // these with what is said of them
        std::vector<ScenarioRow*> rows;
    };

    void fill();
    void makeFinder(QVBoxLayout& column);
    void goToFirstShown();
    void find(const QString& typed);
    void endSearch();
    void gatherFound();
    bool isFound(const QWidget* line) const;
    void showFound();
    void addSection(QVBoxLayout& column, const ScenarioSection& section, ScenarioPresetList* head);
    void addLock();
    ScenarioPresetList* makeModelList();
    ScenarioPresetList* makeClusterList();
    QWidget* headOf(ScenarioPresetList& presets);
    CollectiveLawNote* makeLawNote();
    void unfold(bool unfolded);
    void showAdvanced();
    void makeAdvanced();
    void takeWish(QWidget* line, const QString& key, Scenario scenario, const QString& gesture, int drag_id);
    void refresh();
    void askEffects();
    void showEffects(const std::vector<SettingEffect>& effects);
    void refreshPresets();
    void showUnplacedProblem();

    const Presets& m_presets;
    Scenario m_scenario; // what the rows show
    ModelEdits m_model_edits;
    std::vector<Problem> m_problems;
    std::shared_ptr<const PredictedScenario> m_pinned;
    std::vector<ScenarioRow*> m_rows;
    std::vector<Group> m_groups;
    QHash<QString, ScenarioRow*> m_row_of_key;
    ScenarioPresetList* m_models = nullptr;
    ScenarioPresetList* m_clusters = nullptr;
    CollectiveLawNote* m_law_note = nullptr;
    WorldLock* m_lock = nullptr;
    bool m_wishing = false;
    PresetOrigin m_model; // where the figures come from
    PresetOrigin m_cluster;
    QScrollArea* m_scroll = nullptr;
    std::optional<FormAnchor> m_anchor; // made with the form
    SettingFinder* m_finder = nullptr;
    QLabel* m_none = nullptr; // says that nothing is found
    SettingSearch m_search;
    QSet<const QWidget*> m_found; // lines of the form
    int m_place_before = 0;       // of the scroll bar, before settings were searched
    QToolButton* m_unfold = nullptr;
    bool m_is_unfolded = false;
    QWidget* m_advanced = nullptr; // made when first shown
    QTimer* m_rest = nullptr;      // runs until the switches' effects are asked for
    QLabel* m_problem = nullptr;   // a problem that no visible line shows
    std::shared_ptr<std::atomic<bool>> m_stop = std::make_shared<std::atomic<bool>>(false); // of m_effects
    LatestJob<std::vector<SettingEffect>> m_effects;
};

} // namespace shardscope

#pragma once

#include "core/scenario/scenario.h"

#include <QHash>
#include <QToolButton>

#include <cstdint>
#include <optional>

namespace shardscope
{

// The padlock at the number of GPUs: while it is closed, moving one dimension moves another, so that the
// number stays. It closes by a click, and by itself where the user sets the number.
class WorldLock : public QToolButton
{
    Q_OBJECT
public:
    explicit WorldLock(QWidget* parent = nullptr);

    // The user has set this number, which the other dimensions may not divide, by an edit that comes next.
    void keep(std::int64_t gpus);
    // That edit is over, whether it was a step of the undo history or changed nothing.
    void endEdit() { m_before_edit.reset(); }
    // The scenario that comes next is that of this step of the undo history. Where undo or redo comes back to
    // a step, the lock is again as it was left there.
    void beginStep(int step);
    // What the form shows now. One that was not `made_here`, as by another picture, may take a number back
    // that was set: what is closed for its sake opens then, and closes where it comes again.
    void setScenario(const Scenario& scenario, bool made_here);
    // Another document comes, where no number was set yet.
    void open();
    // `scenario`, whose dimension `moved` has changed, with the number that is kept.
    Scenario keeping(Scenario scenario, Dimension moved) const;
    // What is to be said where the other dimensions do not divide that number; empty: they do.
    QString remark() const;

private:
    // How it is left at a step.
    struct Left {
        bool is_closed = false;
        std::int64_t gpus = 1;
        std::optional<std::int64_t> set;
    };

    void follow(const Scenario& scenario);
    void refresh();

    std::int64_t m_gpus = 1;           // that are kept while it is closed
    std::int64_t m_used = 1;           // of the scenario
    std::optional<std::int64_t> m_set; // it is closed for the sake of this number; nothing: by a click
    QHash<int, Left> m_left;           // by steps of the undo history
    std::optional<Left> m_before_edit; // while an edit sets the number
    int m_step = 0;
    bool m_is_back = false; // at a step that it was left at; its scenario comes next
};

} // namespace shardscope

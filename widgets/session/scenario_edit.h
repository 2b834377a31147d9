#pragma once

#include "core/scenario/scenario.h"

#include <QString>
#include <QUndoCommand>

#include <memory>

namespace shardscope
{

class Session;
struct ScenarioDocument;

// One step of the undo history: a scenario and its document, before and after. Steps of one drag merge.
class ScenarioEdit : public QUndoCommand
{
public:
    ScenarioEdit(Session& session, const Scenario& after, std::shared_ptr<ScenarioDocument> document_after,
                 const QString& gesture, int drag_id = -1);

    void undo() override;
    void redo() override;
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override;

    const Scenario& before() const { return m_before; }
    bool opensDocument() const { return m_document_before != m_document_after; }
    // Nothing but the scenario's name was changed: the user has given it.
    bool isNaming() const;

private:
    Session& m_session;
    Scenario m_before;
    Scenario m_after;
    std::shared_ptr<ScenarioDocument> m_document_before;
    std::shared_ptr<ScenarioDocument> m_document_after;
    int m_step_before;
    int m_step_after;
    int m_drag_id;
};

} // namespace shardscope

#include "widgets/session/scenario_edit.h"

#include "widgets/session/session.h"

#include <utility>

namespace shardscope
{

ScenarioEdit::ScenarioEdit(Session& session, const Scenario& after,
                           std::shared_ptr<ScenarioDocument> document_after, const QString& gesture,
                           int drag_id)
    : QUndoCommand{gesture},
      m_session{session},
      m_before{session.scenario()},
      m_after{after},
      m_document_before{session.m_document},
      m_document_after{std::move(document_after)},
      m_step_before{session.m_history_step},
      m_step_after{++session.m_last_history_step},
      m_drag_id{drag_id}
{
}

void ScenarioEdit::undo()
{
    m_session.apply(m_before, m_document_before, m_step_before);
}

void ScenarioEdit::redo()
{
    m_session.apply(m_after, m_document_after, m_step_after);
}

bool ScenarioEdit::mergeWith(const QUndoCommand* other)
{
    const auto* later = static_cast<const ScenarioEdit*>(other); // the stack compares id() first
    if (m_drag_id < 0 || later->m_drag_id != m_drag_id)
        return false;
    m_after = later->m_after;
    m_document_after = later->m_document_after;
    m_step_after = later->m_step_after;
    setObsolete(m_after == m_before && !opensDocument()); // dragged back to where it began
    return true;
}

bool ScenarioEdit::isNaming() const
{
    Scenario named = m_before;
    named.name = m_after.name;
    return named == m_after && m_before.name != m_after.name;
}

} // namespace shardscope

#include "widgets/session/scenario_edit.h"

#include "widgets/session/session.h"

#include <utility>

namespace shardscope
{

ScenarioEdit::ScenarioEdit(Session& session, const Scenario& after,
                           std::shared_ptr<ScenarioDocument> documentAfter, const QString& gesture,
                           int dragId)
    : QUndoCommand{gesture},
      m_session{session},
      m_before{session.scenario()},
      m_after{after},
      m_documentBefore{session.m_document},
      m_documentAfter{std::move(documentAfter)},
      m_dragId{dragId}
{
}

void ScenarioEdit::undo()
{
    m_session.apply(m_before, m_documentBefore);
}

void ScenarioEdit::redo()
{
    m_session.apply(m_after, m_documentAfter);
}

bool ScenarioEdit::mergeWith(const QUndoCommand* other)
{
    const auto* later = static_cast<const ScenarioEdit*>(other); // the stack compares id() first
    if (m_dragId < 0 || later->m_dragId != m_dragId)
        return false;
    m_after = later->m_after;
    m_documentAfter = later->m_documentAfter;
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

#include "widgets/session/scenario_edit.h"

#include "widgets/session/session.h"

namespace shardscope
{

ScenarioEdit::ScenarioEdit(Session& session, const Scenario& after, const QString& fileAfter,
                           const QString& gesture, int dragId)
    : QUndoCommand{gesture},
      m_session{session},
      m_before{session.scenario()},
      m_after{after},
      m_fileBefore{session.scenarioFile()},
      m_fileAfter{fileAfter},
      m_dragId{dragId}
{
}

void ScenarioEdit::undo()
{
    m_session.apply(m_before, m_fileBefore);
}

void ScenarioEdit::redo()
{
    m_session.apply(m_after, m_fileAfter);
}

bool ScenarioEdit::mergeWith(const QUndoCommand* other)
{
    const auto* later = static_cast<const ScenarioEdit*>(other); // the stack compares id() first
    if (m_dragId < 0 || later->m_dragId != m_dragId)
        return false;
    m_after = later->m_after;
    m_fileAfter = later->m_fileAfter;
    setObsolete(m_after == m_before && m_fileAfter == m_fileBefore); // dragged back to where it began
    return true;
}

} // namespace shardscope

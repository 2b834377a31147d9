#pragma once

#include "core/scenario/scenario.h"

#include <QString>
#include <QUndoCommand>

namespace shardscope
{

class Session;

// One step of the undo history: a scenario and its file, before and after. Steps of one drag merge.
class ScenarioEdit : public QUndoCommand
{
public:
    ScenarioEdit(Session& session, const Scenario& after, const QString& fileAfter, const QString& gesture,
                 int dragId);

    void undo() override;
    void redo() override;
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override;

    const Scenario& before() const { return m_before; }

private:
    Session& m_session;
    Scenario m_before;
    Scenario m_after;
    QString m_fileBefore;
    QString m_fileAfter;
    int m_dragId;
};

} // namespace shardscope

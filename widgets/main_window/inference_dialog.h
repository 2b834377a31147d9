#pragma once

#include <QDialog>

#include "core/inference/infer.h"
#include "widgets/session/latest_job.h"

#include <atomic>
#include <memory>

class QLabel;
class QPushButton;
class QTableWidget;

namespace shardscope
{

class Session;

// The scenario that the open traces show, with what tells each of its figures. Traces are read once more, off
// the GUI thread. What is found becomes the session's scenario when the user says so; the cluster stays
// where the traces do not name other GPUs.
class InferenceDialog : public QDialog
{
    Q_OBJECT
public:
    explicit InferenceDialog(Session& session, QWidget* parent = nullptr);
    ~InferenceDialog() override { *m_stop = true; }

    // Waits for the answer.
    void finish() { m_job.finish(); }
    const QTableWidget& table() const { return *m_table; }
    QString verdict() const;

private:
    void ask();
    void showAnswer(const Result<Inference>& answer);
    void take();

    Session& m_session;
    QLabel* m_verdict = nullptr;
    QTableWidget* m_table = nullptr;
    QPushButton* m_take = nullptr;
    Scenario m_found;
    std::shared_ptr<std::atomic<bool>> m_stop = std::make_shared<std::atomic<bool>>(false);
    LatestJob<Result<Inference>> m_job;
};

} // namespace shardscope

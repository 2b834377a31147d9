#pragma once

#include "widgets/session/job_failures.h"

#include "core/base/result.h"

#include <QCoreApplication>
#include <QObject>
#include <QThreadPool>

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace shardscope
{

// Work that would take longer than a frame, done off the GUI thread. Only the newest answer is delivered, on
// the thread that owns the job; what was asked before is dropped. Until then the old picture stays, and for
// good where the work throws: an answer that can be an error is that one, else JobFailures tells it.
template<class Answer>
class LatestJob
{
public:
    explicit LatestJob(std::function<void(Answer)> deliver) : m_deliver{std::move(deliver)}
    {
        m_pool.setMaxThreadCount(1);
    }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;
    ~LatestJob()
    {
        m_pool.clear();
        m_pool.waitForDone();
    }

    void start(std::function<Answer()> work)
    {
        const int ticket = ++m_newest;
        m_running = true;
        m_pool.clear();
        m_pool.start([this, ticket, work = std::move(work)] {
            std::shared_ptr<Answer> answer;
            std::exception_ptr failure;
            try {
                answer = std::make_shared<Answer>(work());
            } catch (const std::exception&) {
                failure = std::current_exception();
            }
            QMetaObject::invokeMethod(
                &m_context, [this, ticket, answer, failure] { arrived(ticket, answer.get(), failure); },
                Qt::QueuedConnection);
        });
    }
    // The answer that is under way is not wanted any more.
    void forget()
    {
        ++m_newest;
        m_running = false;
        m_pool.clear();
    }
    bool isRunning() const { return m_running; }
    // Waits for the newest answer and delivers it.
    void finish()
    {
        m_pool.waitForDone();
        QCoreApplication::sendPostedEvents(&m_context);
    }

private:
    // Without an answer there is a failure.
    void arrived(int ticket, Answer* answer, const std::exception_ptr& failure)
    {
        if (ticket != m_newest)
            return;
        m_running = false;
        if (answer != nullptr)
            m_deliver(std::move(*answer));
        else if constexpr (std::is_convertible_v<Error, Answer>)
            m_deliver(Error{JobFailures::sentenceOf(failure).toStdString()});
        else
            emit JobFailures::ofProgram().failed(JobFailures::sentenceOf(failure));
    }

    std::function<void(Answer)> m_deliver;
    QObject m_context;
    QThreadPool m_pool;
    int m_newest = 0; // touched by the owning thread alone
    bool m_running = false;
};

} // namespace shardscope

#pragma once

#include "widgets/session/notice.h"

#include <QString>
#include <QWidget>

#include <deque>
#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace shardscope
{

// Errors, warnings and notes that wait in the window until they are dismissed: one line, the newest first,
// older ones a click away. Nothing is lost that still holds, and nothing is blocked.
class MessageLine : public QWidget
{
    Q_OBJECT
public:
    explicit MessageLine(QWidget* parent = nullptr);

    // What can be done about it: a button. The message stays until it is withdrawn, as nobody knows whether
    // anything was done.
    struct Remedy {
        QString text;
        std::function<void()> run;
    };

    void add(Severity severity, const QString& sentence, Remedy remedy = {}, Topic topic = Topic::other);
    // The last to be read: of less weight than what is there.
    void addBehind(Severity severity, const QString& sentence, Remedy remedy = {},
                   Topic topic = Topic::other);
    // Takes away what does not hold any more.
    void withdraw(Topic topic);
    void dismissCurrent();
    void dismissAll();
    int count() const { return static_cast<int>(m_messages.size()); }
    QString currentText() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Message {
        Severity severity;
        QString sentence;
        Remedy remedy;
        Topic topic;
    };
    void turn(int by);
    void remedyCurrent();
    void show();

    std::deque<Message> m_messages; // the newest first
    int m_current = 0;
    QLabel* m_text;
    QPushButton* m_remedy;
    QLabel* m_place;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_all;
};

} // namespace shardscope

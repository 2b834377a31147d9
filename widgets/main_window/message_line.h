#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QLabel;
class QToolButton;

namespace shardscope
{

// Errors and warnings that wait in the window until they are dismissed: one line, the newest first, older
// ones a click away. Nothing is lost and nothing is blocked.
class MessageLine : public QWidget
{
    Q_OBJECT
public:
    enum class Severity : unsigned char { note, error };

    explicit MessageLine(QWidget* parent = nullptr);

    void add(Severity severity, const QString& sentence);
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
        bool operator==(const Message&) const = default;
    };
    void turn(int by);
    void show();

    std::vector<Message> m_messages;
    int m_current = 0;
    QLabel* m_text;
    QLabel* m_place;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_all;
};

} // namespace shardscope

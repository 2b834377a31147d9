#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace shardscope
{

// A field for the name of events, with the number of hits. Enter goes to the next one, with shift to the one
// before; Esc closes it.
class TimelineSearchBar : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineSearchBar(QWidget* parent = nullptr);

    QString text() const;
    void open();
    // "3 of 120".
    void setPlace(std::int64_t place, std::int64_t count);

signals:
    void textChanged(const QString& text);
    void nextWished();
    void previousWished();
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLineEdit* m_field;
    QLabel* m_count;
};

} // namespace shardscope

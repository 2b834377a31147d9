#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace shardscope
{

// A sentence where there is no picture, with what can be done about it, if anything.
class SearchHint : public QWidget
{
    Q_OBJECT
public:
    explicit SearchHint(QWidget* parent = nullptr);

    // `action` is the button's text; empty: none.
    void setText(const QString& sentence, const QString& action = {});
    QString text() const;
    QPushButton& button() const { return *m_button; }

signals:
    void actionWished();

private:
    QLabel* m_sentence;
    QPushButton* m_button;
};

} // namespace shardscope

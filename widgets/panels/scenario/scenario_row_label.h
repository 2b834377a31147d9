#pragma once

#include <QString>
#include <QWidget>

namespace shardscope
{

// A row's name on the left and the papers' symbol in faint italics on the right, in a column of fixed width.
class ScenarioRowLabel : public QWidget
{
    Q_OBJECT
public:
    ScenarioRowLabel(const QString& label, const QString& symbol, QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_label;
    QString m_symbol;
};

} // namespace shardscope

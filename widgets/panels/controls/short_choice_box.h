#pragma once

#include <QComboBox>

namespace shardscope
{

// A box whose closed text has shorter forms, for where there is no room for the words of its list: a choice
// up to its comma, "tp: 8 ranks" of "tp: 8 ranks, 4 on a node", or up to its colon, "tp". It never gets too
// narrow for that.
class ShortChoiceBox : public QComboBox
{
    Q_OBJECT
public:
    explicit ShortChoiceBox(QWidget* parent = nullptr);

    // What is written in the closed box at its present width.
    QString closedText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString shortText() const;
    int widthFor(const QString& text) const;
};

} // namespace shardscope

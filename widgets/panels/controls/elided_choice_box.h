#pragma once

#include <QComboBox>

namespace shardscope
{

// A box whose closed text ends in an ellipsis where it has no room for the whole, as its style leaves none.
class ElidedChoiceBox : public QComboBox
{
    Q_OBJECT
public:
    using QComboBox::QComboBox;

    // What is written in the closed box at its present width.
    virtual QString closedText() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace shardscope

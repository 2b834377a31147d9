#pragma once

#include "widgets/panels/controls/elided_choice_box.h"

namespace shardscope
{

// A box whose closed text has shorter forms, for where there is no room for the words of its list: a choice
// up to its comma, "tp: 8 ranks" of "tp: 8 ranks, 4 on a node", or up to its colon, "tp". It never gets too
// narrow for that.
class ShortChoiceBox : public ElidedChoiceBox
{
    Q_OBJECT
public:
    explicit ShortChoiceBox(QWidget* parent = nullptr);

    QString closedText() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    QString shortText() const;
    int widthFor(const QString& text) const;
};

} // namespace shardscope

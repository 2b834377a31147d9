#pragma once

#include <QLineEdit>

namespace shardscope
{

// The field for what is typed to find settings. Esc empties it; Return and the arrow down go on to what was
// found.
class SettingFinder : public QLineEdit
{
    Q_OBJECT
public:
    explicit SettingFinder(QWidget* parent = nullptr);

signals:
    void goneOn();

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace shardscope

#pragma once

#include "core/scenario/own_presets.h"

#include <QDialog>

class QLabel;
class QListWidget;
class QPushButton;

namespace shardscope
{

class Session;

// The models and clusters that the user has saved: to rename and to delete.
class OwnPresetsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit OwnPresetsDialog(Session& session, QWidget* parent = nullptr);

private:
    void fill();
    void showChoice();
    void rename();
    void remove();

    Session& m_session;
    QLabel* m_told;
    QListWidget* m_list;
    QPushButton* m_rename;
    QPushButton* m_remove;
};

} // namespace shardscope

#pragma once

#include "core/analysis/classification/classification.h"

#include <QDialog>

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace shardscope
{

// Edits the user's own copy of the communication rules. Every change is checked at once; what is wrong is
// said with its line, and only rules without a fault can be saved. A name can be tried before.
class RulesDialog : public QDialog
{
    Q_OBJECT
public:
    explicit RulesDialog(QWidget* parent = nullptr);

    // What stands in the editor and the line to try a name in, for tests as for people.
    QPlainTextEdit& editor() const { return *m_editor; }
    QLineEdit& trial() const { return *m_trial; }
    QString verdict() const; // on the tried name
    QString fault() const;   // empty: the rules are right
    void save();
    void restoreShipped();

signals:
    void rulesSaved(const shardscope::ClassificationRules& rules);

private:
    QDialogButtonBox* makeButtons();
    void check();
    void adopt(const Result<ClassificationRules>& rules);

    QPlainTextEdit* m_editor;
    QLabel* m_fault;
    QLineEdit* m_trial;
    QLabel* m_verdict;
    QPushButton* m_save = nullptr;
    QString m_unseen; // why the rules that hold cannot be shown; empty: they are
};

} // namespace shardscope

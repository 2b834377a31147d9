#include "widgets/main_window/rules_dialog.h"

#include "widgets/session/shown_text.h"

#include "core/analysis/classification/own_rules.h"
#include "core/base/file.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace shardscope
{

namespace
{

constexpr std::uintmax_t largest_rules_bytes = std::uintmax_t{1} << 20;

// The text of the rules that hold; a file with a fault is shown as it is, so that it can be mended.
Result<std::string> textInUse()
{
    const Result<ClassificationRules> rules = rulesInUse();
    if (rules)
        return std::string{rules.value().text()};
    std::error_code ignored;
    if (!std::filesystem::exists(ownRulesFile(), ignored)) // the fault is in the file that ships
        return std::string{ClassificationRules::shipped().text()};
    return readFile(ownRulesFile(), largest_rules_bytes);
}

} // namespace

RulesDialog::RulesDialog(QWidget* parent)
    : QDialog{parent},
      m_editor{new QPlainTextEdit{this}},
      m_fault{new QLabel{this}},
      m_trial{new QLineEdit{this}},
      m_verdict{new QLabel{this}}
{
    setWindowTitle(tr("Communication rules"));
    resize(760, 560);
    m_editor->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_editor->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_editor->setAccessibleName(windowTitle());
    const Result<std::string> text = textInUse();
    m_editor->setPlainText(text ? toQString(text.value()) : QString{});
    m_fault->setWordWrap(true);
    m_trial->setPlaceholderText(tr("Try a name: a kernel, an annotation, a process group"));
    m_trial->setClearButtonEnabled(true);
    m_trial->setAccessibleName(tr("A name to try"));

    auto* trying = new QHBoxLayout;
    trying->addWidget(m_trial, 1);
    trying->addWidget(m_verdict, 1);
    auto* column = new QVBoxLayout{this};
    column->addWidget(m_editor, 1);
    column->addWidget(m_fault);
    column->addLayout(trying);
    column->addWidget(makeButtons());
    connect(m_editor, &QPlainTextEdit::textChanged, this, &RulesDialog::check);
    connect(m_trial, &QLineEdit::textChanged, this, &RulesDialog::check);
    if (!text)
        m_unseen = toQString(ownRulesFile().string() + ": " + text.error().sentence);
    check();
}

QDialogButtonBox* RulesDialog::makeButtons()
{
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Save | QDialogButtonBox::Cancel, this};
    m_save = buttons->button(QDialogButtonBox::Save);
    m_save->setToolTip(
        tr("Saves to %1 and analyses the open traces again").arg(toQString(ownRulesFile().string())));
    auto* restore = buttons->addButton(tr("Shipped rules"), QDialogButtonBox::ResetRole);
    restore->setToolTip(tr("Takes your own rules away; those of the program hold again"));
    connect(buttons, &QDialogButtonBox::accepted, this, &RulesDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(restore, &QPushButton::clicked, this, &RulesDialog::restoreShipped);
    return buttons;
}

QString RulesDialog::verdict() const
{
    return m_verdict->text();
}

QString RulesDialog::fault() const
{
    return m_fault->text();
}

void RulesDialog::check()
{
    const Result<ClassificationRules> rules =
        ClassificationRules::parse(m_editor->toPlainText().toStdString());
    // Saved over unseen, a file that cannot be shown would be lost.
    const bool is_unseen = !m_unseen.isEmpty() && m_editor->document()->isEmpty();
    m_fault->setText(is_unseen ? m_unseen : rules ? QString{} : toQString(rules.error().sentence));
    m_save->setEnabled(rules && !is_unseen);
    const std::string name = m_trial->text().toStdString();
    if (!rules || name.empty()) {
        m_verdict->clear();
        return;
    }
    m_verdict->setText(tr("%1; kind by name: %2, by group: %3")
                           .arg(rules.value().isCommunication(name) ? tr("communication") : tr("compute"),
                                toQString(word(rules.value().kindOf(name))),
                                toQString(word(rules.value().kindOfGroup(name)))));
}

void RulesDialog::adopt(const Result<ClassificationRules>& rules)
{
    if (!rules) {
        m_fault->setText(toQString(rules.error().sentence));
        return;
    }
    emit rulesSaved(rules.value());
    accept();
}

void RulesDialog::save()
{
    adopt(saveOwnRules(m_editor->toPlainText().toStdString()));
}

void RulesDialog::restoreShipped()
{
    adopt(forgetOwnRules());
}

} // namespace shardscope

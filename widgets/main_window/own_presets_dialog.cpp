#include "widgets/main_window/own_presets_dialog.h"

#include "widgets/session/session.h"

#include <QDialogButtonBox>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardscope
{

namespace
{

constexpr int name_role = Qt::UserRole;
constexpr int kind_role = Qt::UserRole + 1;

QString nameOf(const QListWidgetItem& item)
{
    return item.data(name_role).toString();
}

PresetKind kindOf(const QListWidgetItem& item)
{
    return static_cast<PresetKind>(item.data(kind_role).toInt());
}

} // namespace

OwnPresetsDialog::OwnPresetsDialog(Session& session, QWidget* parent)
    : QDialog{parent}, m_session{session}, m_told{new QLabel}, m_list{new QListWidget}
{
    setWindowTitle(tr("Own presets"));
    resize(460, 340);
    m_told->setWordWrap(true);
    m_list->setAccessibleName(windowTitle());
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close};
    m_rename = buttons->addButton(tr("&Rename..."), QDialogButtonBox::ActionRole);
    m_remove = buttons->addButton(tr("&Delete..."), QDialogButtonBox::ActionRole);
    auto* column = new QVBoxLayout{this};
    column->addWidget(m_told);
    column->addWidget(m_list);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_rename, &QPushButton::clicked, this, &OwnPresetsDialog::rename);
    connect(m_remove, &QPushButton::clicked, this, &OwnPresetsDialog::remove);
    connect(m_list, &QListWidget::currentRowChanged, this, &OwnPresetsDialog::showChoice);
    connect(&session, &Session::presetsChanged, this, &OwnPresetsDialog::fill);
    connect(&session, &Session::failed, m_told, &QLabel::setText);
    fill();
}

void OwnPresetsDialog::fill()
{
    const int row = m_list->currentRow();
    m_list->clear();
    const auto add = [this](PresetKind kind, const QString& text, const std::string& name) {
        auto* item = new QListWidgetItem{text.arg(QString::fromStdString(name)), m_list};
        item->setData(name_role, QString::fromStdString(name));
        item->setData(kind_role, static_cast<int>(kind));
    };
    for (const ModelPreset& preset : m_session.presets().models())
        if (preset.is_own)
            add(PresetKind::model, tr("Model: %1"), preset.name);
    for (const ClusterPreset& preset : m_session.presets().clusters())
        if (preset.is_own)
            add(PresetKind::cluster, tr("Cluster: %1"), preset.name);
    const QString folder = QString::fromStdString(ownPresetsFolder().string());
    m_told->setText(
        (m_list->count() == 0
             ? tr("None yet: Scenario, Save model as preset... and Save cluster as preset... keep what the "
                  "sliders show.")
             : QString{})
        + (m_list->count() == 0 ? "\n" : "")
        + (folder.isEmpty() ? tr("There is no folder for them: set XDG_DATA_HOME or HOME.")
                            : tr("They lie in %1.").arg(folder)));
    m_list->setCurrentRow(std::min(std::max(row, 0), m_list->count() - 1));
    showChoice();
}

void OwnPresetsDialog::showChoice()
{
    m_rename->setEnabled(m_list->currentItem() != nullptr);
    m_remove->setEnabled(m_list->currentItem() != nullptr);
}

void OwnPresetsDialog::rename()
{
    const QString name = nameOf(*m_list->currentItem());
    const PresetKind kind = kindOf(*m_list->currentItem());
    auto* question = new QInputDialog{this};
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setWindowTitle(tr("Rename preset"));
    question->setLabelText(tr("New name of %1:").arg(name));
    question->setTextValue(name);
    question->resize(420, question->sizeHint().height());
    connect(question, &QInputDialog::textValueSelected, this, [this, kind, name](const QString& new_name) {
        if (new_name != name)
            m_session.renamePreset(kind, name, new_name.trimmed());
    });
    question->open();
}

void OwnPresetsDialog::remove()
{
    const QString name = nameOf(*m_list->currentItem());
    const PresetKind kind = kindOf(*m_list->currentItem());
    auto* question =
        new QMessageBox{QMessageBox::Question, tr("Delete preset"),
                        tr("Delete the preset %1? The scenario on screen keeps its figures.").arg(name),
                        QMessageBox::Cancel, this};
    question->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton* yes = question->addButton(tr("&Delete"), QMessageBox::AcceptRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, kind, name] { m_session.removePreset(kind, name); });
    question->open();
}

} // namespace shardscope

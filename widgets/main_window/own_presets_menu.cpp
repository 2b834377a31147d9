#include "widgets/main_window/own_presets_menu.h"

#include "widgets/main_window/own_presets_dialog.h"
#include "widgets/main_window/replace_question.h"
#include "widgets/session/session.h"

#include <QInputDialog>
#include <QMenu>
#include <QRegularExpression>

namespace shardscope
{

namespace
{

// A preset's name is its file's.
QString fileName(const QString& typed)
{
    static const QRegularExpression others{"[^A-Za-z0-9._-]+"};
    QString name = typed.trimmed();
    return name.replace(others, "-");
}

bool isOwn(const Presets& presets, PresetKind kind, const std::string& name)
{
    if (kind == PresetKind::model) {
        const ModelPreset* there = presets.model(name);
        return there != nullptr && there->is_own;
    }
    const ClusterPreset* there = presets.cluster(name);
    return there != nullptr && there->is_own;
}

} // namespace

OwnPresetsMenu::OwnPresetsMenu(Session& session, QWidget& window)
    : QObject{&window}, m_session{session}, m_window{window}
{
}

void OwnPresetsMenu::addTo(QMenu& menu)
{
    menu.addAction(tr("Save &model as preset..."), this, [this] { askForName(PresetKind::model); });
    menu.addAction(tr("Save c&luster as preset..."), this, [this] { askForName(PresetKind::cluster); });
    menu.addAction(tr("&Own presets..."), this, [this] {
        auto* dialog = new OwnPresetsDialog{m_session, &m_window};
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
}

QString OwnPresetsMenu::proposedName(PresetKind kind) const
{
    const Scenario& scenario = m_session.scenario();
    const std::string& preset = kind == PresetKind::model ? scenario.model.preset : scenario.cluster.preset;
    if (isOwn(m_session.presets(), kind, preset))
        return QString::fromStdString(preset);
    if (!preset.empty())
        return "my-" + QString::fromStdString(preset);
    return kind == PresetKind::model ? tr("my-model") : tr("my-cluster");
}

void OwnPresetsMenu::askForName(PresetKind kind)
{
    auto* question = new QInputDialog{&m_window};
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setWindowTitle(kind == PresetKind::model ? tr("Save model as preset")
                                                       : tr("Save cluster as preset"));
    question->setLabelText(tr("Name (letters, digits, -, _ and .):"));
    question->setTextValue(proposedName(kind));
    question->resize(420, question->sizeHint().height()); // the title is readable
    connect(question, &QInputDialog::textValueSelected, this,
            [this, kind](const QString& typed) { saveAs(kind, fileName(typed)); });
    question->open();
}

void OwnPresetsMenu::saveAs(PresetKind kind, const QString& name)
{
    if (!isOwn(m_session.presets(), kind, name.toStdString())) {
        keep(kind, name);
        return;
    }
    const QString sentence = kind == PresetKind::model ? tr("A model of yours is called %1. Replace it?")
                                                       : tr("A cluster of yours is called %1. Replace it?");
    askToReplace(&m_window, sentence.arg(name), [this, kind, name] { keep(kind, name); });
}

void OwnPresetsMenu::keep(PresetKind kind, const QString& name)
{
    if (m_session.savePreset(kind, name))
        emit notified((kind == PresetKind::model ? tr("Saved: %1 stands in the list of models, under Own.")
                                                 : tr("Saved: %1 stands in the list of clusters."))
                          .arg(name));
}

} // namespace shardscope

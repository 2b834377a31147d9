#include "widgets/main_window/save_question.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

#include <algorithm>

namespace shardscope
{

QString withEnding(const QString& file, const QStringList& endings)
{
    const bool has_one = std::ranges::any_of(
        endings, [&](const QString& ending) { return file.endsWith(ending, Qt::CaseInsensitive); });
    return has_one ? file : file + endings.front();
}

QString askWhereToSave(QWidget* parent, SaveQuestion question, QString* chosen)
{
    while (true) {
        const QString named =
            QFileDialog::getSaveFileName(parent, question.title, question.proposal, question.filters, chosen);
        if (named.isEmpty())
            return {};
        const QString file = withEnding(named, question.endings);
        // The dialog has asked about the name that was typed.
        if (file == named || !QFileInfo::exists(file))
            return file;
        const auto answer = QMessageBox::warning(
            parent, question.title,
            QMessageBox::tr("%1 already exists. Do you want to replace it?").arg(QFileInfo{file}.fileName()),
            QMessageBox::Yes | QMessageBox::No, QMessageBox::No);
        if (answer == QMessageBox::Yes)
            return file;
        question.proposal = file;
    }
}

} // namespace shardscope

#include "widgets/main_window/replace_question.h"

#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace shardscope
{

void askToReplace(QWidget* parent, const QString& sentence, std::function<void()> replace)
{
    auto* question = new QMessageBox{QMessageBox::Question, QMessageBox::tr("The name exists"), sentence,
                                     QMessageBox::Cancel, parent};
    question->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton* yes = question->addButton(QMessageBox::tr("&Replace"), QMessageBox::AcceptRole);
    question->setDefaultButton(QMessageBox::Cancel);
    QObject::connect(yes, &QPushButton::clicked, question, std::move(replace));
    question->open();
}

} // namespace shardscope

#include "widgets/panels/sweep/search_hint.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardscope
{

SearchHint::SearchHint(QWidget* parent)
    : QWidget{parent}, m_sentence{new QLabel{this}}, m_button{new QPushButton{this}}
{
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    auto* column = new QVBoxLayout{this};
    column->addStretch();
    column->addWidget(m_sentence);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    column->addStretch();
    m_button->hide();
    connect(m_button, &QPushButton::clicked, this, &SearchHint::actionWished);
}

void SearchHint::setText(const QString& sentence, const QString& action)
{
    m_sentence->setText(sentence);
    m_button->setText(action);
    m_button->setVisible(!action.isEmpty());
}

QString SearchHint::text() const
{
    return m_sentence->text();
}

} // namespace shardscope

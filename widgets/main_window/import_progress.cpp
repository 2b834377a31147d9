#include "widgets/main_window/import_progress.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <cmath>

namespace shardscope
{

ImportProgressBar::ImportProgressBar(QWidget* parent)
    : QWidget{parent}, m_what{new QLabel}, m_bar{new QProgressBar}
{
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(0, 0, 0, 0);
    m_bar->setRange(0, 1000);
    m_bar->setFixedWidth(160);
    m_bar->setMaximumHeight(14);
    m_bar->setTextVisible(false);
    auto* cancel = new QToolButton;
    cancel->setText(tr("Cancel"));
    cancel->setFocusPolicy(Qt::StrongFocus);
    line->addWidget(m_what);
    line->addWidget(m_bar);
    line->addWidget(cancel);
    connect(cancel, &QToolButton::clicked, this, &ImportProgressBar::cancelled);
    hide();
}

void ImportProgressBar::begin()
{
    setProgress(0.0, tr("Reading traces"));
    show();
}

void ImportProgressBar::setProgress(double fraction, const QString& what)
{
    m_bar->setValue(static_cast<int>(std::lround(fraction * 1000.0)));
    m_what->setText(what);
}

void ImportProgressBar::end()
{
    hide();
}

} // namespace shardscope

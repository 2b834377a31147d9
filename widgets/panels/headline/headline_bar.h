#pragma once

#include "widgets/session/content.h"

#include <QWidget>

#include <vector>

class QToolButton;

namespace shardscope
{

class HeadlineTile;

// The figures that a scenario is judged by, each with its change against the pinned one.
class HeadlineBar : public QWidget
{
    Q_OBJECT
public:
    explicit HeadlineBar(QWidget* parent = nullptr);

    void setContent(const shardscope::Content& content);
    const std::vector<HeadlineTile*>& tiles() const { return m_tiles; }

signals:
    void pinWished(bool pinned);
    void accuracyWished();

private:
    void addPin();
    void showPin();

    Content m_content;
    std::vector<HeadlineTile*> m_tiles;
    QToolButton* m_pin = nullptr;
};

} // namespace shardscope

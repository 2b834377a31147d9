#pragma once

#include "widgets/panels/timeline/range_table_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;
class QTextBrowser;

namespace shardscope
{

// Beside the timeline: all that is known of the chosen event, or a table of the selected stretch of time.
class TimelineDetails : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineDetails(QWidget* parent = nullptr);

    void showFacts(const QString& title, const QString& html);
    void showRange(const QString& title);
    // A new grouping is asked for by groupingChosen().
    RangeGrouping grouping() const;
    void setRows(std::vector<RangeRow> rows, const LaneColours& colours);
    const RangeTableModel& table() const { return *m_model; }

    QSize sizeHint() const override;

signals:
    void linkClicked(const QString& target); // in the facts
    void groupingChosen();
    void closed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void fitToFont();

    QLabel* m_title;
    QComboBox* m_grouping;
    QStackedWidget* m_pages;
    QTextBrowser* m_event;
    QTableView* m_view;
    RangeTableModel* m_model;
};

} // namespace shardscope

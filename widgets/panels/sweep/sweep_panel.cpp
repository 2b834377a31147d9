#include "widgets/panels/sweep/sweep_panel.h"

#include "widgets/panels/controls/elided_choice_box.h"
#include "widgets/panels/controls/marked_slider.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/sweep/search_hint.h"
#include "widgets/panels/sweep/sweep_bars_view.h"
#include "widgets/panels/sweep/sweep_changes_view.h"
#include "widgets/panels/sweep/sweep_measured_view.h"
#include "widgets/panels/sweep/sweep_scaling_view.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/changes/change_chart.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/maps/map_view.h"
#include "widgets/plots/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope
{

SweepPanel::SweepPanel(QWidget* parent)
    : PicturePanel{parent},
      m_legend{new LegendChips{LegendChips::Use::legend, this}},
      m_study_box{new ElidedChoiceBox{this}},
      m_quantity_box{new QComboBox{this}},
      m_x_box{new ElidedChoiceBox{this}},
      m_y_box{new ElidedChoiceBox{this}},
      m_log_button{toggleButton(tr("log"),
                                tr("Logarithmic heights, for figures that differ a hundredfold. Bars are not "
                                   "divided then: the parts of a sum have no lengths on such an axis."),
                                this)},
      m_detailed_button{toggleButton(
          tr("detailed"),
          tr("Fewer points by the detailed model, memory included, instead of Li et al.'s formula"), this)},
      m_evolution_label{new QLabel{this}},
      m_evolution_slider{new MarkedSlider{this}},
      m_switches_button{toggleButton(tr("switches add up"),
                                     tr("Reduction in the network: an all_reduce moves half of its bytes"),
                                     this)},
      m_given_edit{new QLineEdit{this}},
      m_chart{new BarChart{Qt::Vertical, this}},
      m_futures_chart{new BarChart{Qt::Horizontal, this}},
      m_changes{new ChangeChart{this}},
      m_curves{new CurveView{this}},
      m_map{new MapView{this}},
      m_hint{new SearchHint{this}},
      m_pages{new QStackedLayout},
      m_job{[this](StudyAnswer answer) { answered(std::move(answer)); }}
{
    m_progress.setInterval(150);
    for (QWidget* picture :
         std::initializer_list<QWidget*>{m_chart, m_futures_chart, m_changes, m_curves, m_map})
        picture->setAccessibleName(title());
    fillStudies();
    fillQuantities();
    fillAxes();
    setUpEvolution();
    setUpGiven();
    layOutHead();
    showControls();
    connectControls();
    connectPictures();
    refresh();
}

SweepPanel::~SweepPanel()
{
    if (m_stop)
        m_stop->store(true);
}

const Study& SweepPanel::study() const
{
    return studies()[static_cast<std::size_t>(std::max(0, m_study_box->currentIndex()))];
}

bool SweepPanel::isAnswered() const
{
    return m_answer.question.predicted && m_answer.question.study == &study();
}

QStringList SweepPanel::linesAt(double gpus) const
{
    return gpus > 0.0 && isAnswered() ? scalingLines(m_answer, gpus) : QStringList{};
}

SweepQuantity SweepPanel::quantity() const
{
    return static_cast<SweepQuantity>(m_quantity_box->currentData().toInt());
}

bool SweepPanel::showsCurves() const
{
    return study().picture == StudyPicture::bars && quantity() == SweepQuantity::speedup;
}

bool SweepPanel::showsBars() const
{
    const StudyPicture picture = study().picture;
    return (picture == StudyPicture::bars && !showsCurves()) || picture == StudyPicture::layouts;
}

bool SweepPanel::showsChanges() const
{
    return study().picture == StudyPicture::changes || study().picture == StudyPicture::steps;
}

bool SweepPanel::isLogarithmic() const
{
    return m_log_button->isChecked() && showsBars() && canBeLogarithmic(quantity());
}

void SweepPanel::setContent(const Content& content)
{
    const bool is_measured = study().picture == StudyPicture::measured;
    const bool is_other_document = content.document != m_content.document;
    if (is_other_document)
        forgetSpeedups();
    const bool is_other = is_other_document || content.predicted != m_content.predicted
                          || content.pinned != m_content.pinned
                          || (is_measured && content.measured != m_content.measured);
    const auto model = [](const Content& of) {
        return of.predicted ? std::optional{of.predicted->scenario.time_model} : std::nullopt;
    };
    const bool is_other_model = model(content) && model(content) != model(m_content);
    m_content = content;
    if (is_other_model)
        followTimeModel();
    if (is_other)
        ask();
}

// The map is drawn with the model that the scenario was given last; the button may choose the other one.
void SweepPanel::followTimeModel()
{
    const QSignalBlocker quiet{m_detailed_button};
    m_detailed_button->setChecked(m_content.predicted->scenario.time_model == TimeModel::detailed);
}

// Only a measured iteration is that of a rank.
void SweepPanel::setSelection(const Selection& selection)
{
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    if (is_other_rank && study().picture == StudyPicture::measured)
        ask();
}

// The old picture stays until the new answer is there. An answer to the same study with older figures is
// waited for, so that a moving slider is followed; one to another study, and a search, which takes long, are
// told to stop.
void SweepPanel::ask()
{
    m_asks_again = m_job.isRunning() && m_content.predicted && m_running == &study()
                   && study().picture != StudyPicture::layouts;
    if (m_asks_again)
        return;
    if (m_stop)
        m_stop->store(true);
    if (!m_content.predicted) {
        m_job.forget();
        m_answer = {};
        refresh();
        return;
    }
    auto stop = std::make_shared<std::atomic<bool>>(false);
    m_stop = stop;
    m_running = &study();
    auto share = std::make_shared<std::atomic<double>>(0.0);
    m_share = share;
    m_job.start([asked = question(), stop, share] { return answerStudy(asked, stop.get(), share.get()); });
    if (study().picture != StudyPicture::layouts)
        return;
    m_progress.start();
    if (!isAnswered())
        refresh(); // says so, as it takes long
}

void SweepPanel::finish()
{
    while (m_job.isRunning())
        m_job.finish();
}

void SweepPanel::answered(StudyAnswer answer)
{
    m_answer = std::move(answer);
    refresh();
    if (m_asks_again)
        ask();
}

void SweepPanel::changeEvent(QEvent* event)
{
    PicturePanel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitGiven();
}

void SweepPanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    fitGiven();
    fitLegend(*this, *m_legend, tools());
}

void SweepPanel::refresh()
{
    if (!isAnswered()) {
        showThatItIsAsked();
        return;
    }
    if (!m_answer.problem.empty()) {
        m_hint->setText(QString::fromStdString(m_answer.problem));
        m_pages->setCurrentWidget(m_hint);
        m_legend->setChips({});
        return;
    }
    switch (study().picture) {
    case StudyPicture::bars:
    case StudyPicture::layouts:
        refreshBars();
        break;
    case StudyPicture::map:
    case StudyPicture::projection:
        refreshMap();
        break;
    case StudyPicture::measured:
        m_legend->setChips(measuredSizesLegend(m_answer, Theme{palette()}));
        m_chart->setScene(measuredSizesScene(m_answer, Theme{palette()}));
        m_pages->setCurrentWidget(m_chart);
        break;
    case StudyPicture::futures:
        m_legend->setChips(futuresLegend(Theme{palette()}));
        m_futures_chart->setScene(futuresScene(m_answer, Theme{palette()}));
        m_pages->setCurrentWidget(m_futures_chart);
        break;
    case StudyPicture::changes:
    case StudyPicture::steps:
        m_legend->setChips(changesLegend(m_answer, Theme{palette()}));
        m_changes->setScene(changesScene(m_answer, Theme{palette()}));
        m_pages->setCurrentWidget(m_changes);
        break;
    }
    fitLegend(*this, *m_legend, tools());
}

// An answer to another study comes to be drawn no more; its successor is on the way.
void SweepPanel::showThatItIsAsked()
{
    if (!m_content.predicted)
        m_hint->setText(tr("Set a valid scenario to see what happens around it"));
    const bool takes_long = m_content.predicted && study().picture == StudyPicture::layouts;
    if (takes_long)
        showProgress();
    if (takes_long || !m_content.predicted || !m_answer.question.predicted)
        m_pages->setCurrentWidget(m_hint);
    m_legend->setChips({});
}

void SweepPanel::refreshBars()
{
    const Theme theme{palette()};
    if (showsCurves()) {
        m_legend->setChips({});
        m_curves->setScene(scalingScene(m_answer, theme));
        m_pages->setCurrentWidget(m_curves);
        return;
    }
    m_legend->setChips(sweepLegend(m_answer, quantity(), theme, isLogarithmic()));
    m_chart->setScene(sweepBarsScene(m_answer, quantity(), theme, isLogarithmic()));
    m_pages->setCurrentWidget(m_chart);
}

void SweepPanel::refreshMap()
{
    const int figure = m_quantity_box->currentData().toInt();
    m_legend->setChips({});
    m_map->setScene(study().picture == StudyPicture::map
                        ? timeMapScene(m_answer, static_cast<MapFigure>(figure))
                        : projectionScene(m_answer, static_cast<LayerFigure>(figure)));
    m_pages->setCurrentWidget(m_map);
}

void SweepPanel::onBarHovered(int bar, int segment)
{
    if (!isAnswered())
        return;
    if (bar >= 0 && study().picture == StudyPicture::measured) {
        emit statusWished(measuredSizesSentence(m_answer, bar, segment));
        return;
    }
    const SweepPoint* point = bar < 0 ? nullptr : pointOfBar(m_answer, m_chart->scene(), bar);
    emit statusWished(point ? sweepSentence(m_answer, *point, quantity(), partOf(segment)) : QString{});
}

QString SweepPanel::barTip(int bar, int segment) const
{
    if (!isAnswered())
        return {};
    if (study().picture == StudyPicture::measured)
        return measuredSizesSentence(m_answer, bar, segment).toHtmlEscaped();
    const SweepPoint* point = pointOfBar(m_answer, m_chart->scene(), bar);
    return point ? sweepTip(m_answer, *point, quantity(), partOf(segment)) : QString{};
}

void SweepPanel::onBarActivated(int bar)
{
    const SweepPoint* point =
        bar < 0 || !isAnswered() ? nullptr : pointOfBar(m_answer, m_chart->scene(), bar);
    if (point && point->isValid())
        wish(point->scenario);
}

void SweepPanel::onChangeActivated(int row)
{
    if (const SweepPoint* point = isAnswered() ? pointOfRow(m_answer, row) : nullptr)
        emit scenarioWished(point->scenario, tr("Take a change"), -1);
}

void SweepPanel::onCellHovered(MapCellPlace place)
{
    if (place.isNone() || !isAnswered()) {
        emit statusWished({});
        return;
    }
    const int figure = m_quantity_box->currentData().toInt();
    emit statusWished(study().picture == StudyPicture::map
                          ? timeMapSentence(m_answer, static_cast<MapFigure>(figure), place)
                          : projectionSentence(m_answer, static_cast<LayerFigure>(figure), place));
}

QString SweepPanel::cellTip(MapCellPlace place) const
{
    if (!isAnswered())
        return {};
    if (study().picture == StudyPicture::map)
        return timeMapTip(m_answer, place);
    const int figure = m_quantity_box->currentData().toInt();
    return projectionTip(m_answer, static_cast<LayerFigure>(figure), place);
}

// The sweep of single layers is of no scenario.
void SweepPanel::onCellActivated(MapCellPlace place)
{
    if (study().picture != StudyPicture::map || !isAnswered())
        return;
    const auto x = static_cast<std::size_t>(place.column);
    const auto y = static_cast<std::size_t>(place.row);
    if (!m_answer.map.cell(x, y).isValid())
        return;
    wish(mapScenario(m_answer.map, m_answer.question.predicted->scenario, x, y));
    m_map->leaveCell(); // the map that comes is drawn around the cell
}

void SweepPanel::wish(const Scenario& scenario)
{
    emit scenarioWished(scenario, tr("Take a place of a sweep"), -1);
}

} // namespace shardscope

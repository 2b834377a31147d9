// The controls of the picture of sweeps: what is asked.
#include "widgets/panels/sweep/sweep_panel.h"
#include "widgets/session/shown_text.h"

#include "widgets/panels/controls/marked_slider.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/sweep/search_hint.h"
#include "widgets/panels/sweep/study_meaning.h"
#include "widgets/panels/sweep/sweep_changes_view.h"
#include "widgets/panels/sweep/sweep_scaling_view.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/changes/change_chart.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/maps/map_view.h"
#include "widgets/plots/theme.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStackedLayout>

#include <utility>

namespace shardscope
{

namespace
{

constexpr int tenths = 10;
constexpr int today = tenths;          // 1.0
constexpr int far_future = 4 * tenths; // Pati et al. 2023: up to four times
constexpr int slider_width = 110;

// Names that a narrow panel may cut, with a list that shows them whole.
void keepNarrow(QComboBox& box, int letters)
{
    box.setMinimumContentsLength(letters);
    box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box.view()->setTextElideMode(Qt::ElideNone);
    const int width = box.view()->sizeHintForColumn(0);
    box.view()->setMinimumWidth(width + 2 * box.fontMetrics().horizontalAdvance(QLatin1Char('m')));
}

} // namespace

void SweepPanel::fillStudies()
{
    for (const Study& each : studies()) {
        m_study_box->addItem(toQString(each.title), toQString(each.key));
        m_study_box->setItemData(m_study_box->count() - 1, studyMeaning(each), Qt::ToolTipRole);
    }
    keepNarrow(*m_study_box, 26);
    m_study_box->setAccessibleName(tr("The question"));
    m_quantity_box->setToolTip(tr("What is drawn"));
    m_quantity_box->setAccessibleName(m_quantity_box->toolTip());
}

// What the study can show; what was shown stays where the new one has it too.
void SweepPanel::fillQuantities()
{
    const QString before = m_quantity_box->currentText();
    const QSignalBlocker quiet{m_quantity_box};
    m_quantity_box->clear();
    const auto add = [this](const QString& name, int value, const QString& meaning) {
        m_quantity_box->addItem(name, value);
        m_quantity_box->setItemData(m_quantity_box->count() - 1, meaning, Qt::ToolTipRole);
    };
    switch (study().picture) {
    case StudyPicture::bars:
    case StudyPicture::layouts:
        for (int i = 0; i < sweep_quantity_count; ++i) {
            const auto each = static_cast<SweepQuantity>(i);
            if (each != SweepQuantity::speedup || study().isScaling())
                add(quantityName(each), i, quantityMeaning(each));
        }
        break;
    case StudyPicture::map:
        for (int i = 0; i < map_figure_count; ++i)
            add(figureName(static_cast<MapFigure>(i)), i, {});
        break;
    case StudyPicture::projection:
        for (int i = 0; i < layer_figure_count; ++i)
            add(figureName(static_cast<LayerFigure>(i)), i, {});
        break;
    case StudyPicture::measured:
    case StudyPicture::futures:
    case StudyPicture::changes:
    case StudyPicture::steps:
        break;
    }
    m_quantity_box->setCurrentIndex(std::max(0, m_quantity_box->findText(before)));
}

void SweepPanel::fillAxes()
{
    for (QComboBox* box : {m_x_box, m_y_box}) {
        for (const SweepAxis axis : mapAxes()) {
            const QString title = toQString(axisTitle(axis));
            box->addItem(toQString(axisName(axis)), static_cast<int>(axis));
            box->setItemData(box->count() - 1, title, Qt::ToolTipRole);
        }
        keepNarrow(*box, 14);
        const bool is_x = box == m_x_box;
        box->setToolTip(is_x ? tr("Along") : tr("Up"));
        box->setAccessibleName(box->toolTip());
    }
    m_x_box->setCurrentIndex(m_x_box->findData(static_cast<int>(SweepAxis::sequence_length)));
    m_y_box->setCurrentIndex(m_y_box->findData(static_cast<int>(SweepAxis::network_bandwidth)));
}

void SweepPanel::setUpEvolution()
{
    m_evolution_slider->setRange(today, far_future);
    m_evolution_slider->setPageStep(5);
    m_evolution_slider->setValue(today);
    m_evolution_slider->setMark(today);
    m_evolution_slider->setFixedWidth(slider_width);
    m_evolution_slider->setToolTip(
        tr("How many times faster GPUs compute, with the same links (flop-vs-bw, Pati et al. 2023)"));
    m_evolution_slider->setAccessibleName(tr("Compute against links"));
}

void SweepPanel::setUpGiven()
{
    m_given_edit->setPlaceholderText(tr("measured: 64 7.1, 128 13"));
    m_given_edit->setToolTip(
        tr("Measured speedups or throughputs in any unit, each after its number of GPUs: "
           "\"64 7.1, 128 13.4\". They stand against the first of them, beside what is "
           "predicted and what the network alone would explain (Cheng et al. 2024, "
           "Fig. 15)."));
    m_given_edit->setAccessibleName(tr("Measured speedups"));
    fitGiven();
    m_given_edit->setClearButtonEnabled(true);
    connect(m_given_edit, &QLineEdit::textChanged, this, &SweepPanel::takeSpeedups);
}

// As wide as its text, where the others leave it so much room.
void SweepPanel::fitGiven()
{
    constexpr int least_letters = 34; // a clear button takes some
    constexpr int of_button = 6;
    const int letter = fontMetrics().averageCharWidth();
    int room = width();
    for (const QWidget* tool : tools())
        if (tool != m_given_edit && !tool->isHidden())
            room -= tool->sizeHint().width() + 2 * letter;
    const int whole = fontMetrics().horizontalAdvance(m_given_edit->text()) + of_button * letter;
    const int least = letter * least_letters;
    m_given_edit->setFixedWidth(std::clamp(whole, least, std::max(least, room)));
}

// What cannot be read yet is being typed: the sentence says what is missing, the picture stays.
void SweepPanel::takeSpeedups()
{
    fitGiven();
    const auto given = readSpeedups(m_given_edit->text().toStdString());
    const QString trouble = given ? QString{} : toQString(given.error().sentence);
    emit statusWished(trouble);
    QPalette colours = palette();
    if (!given)
        colours.setColor(QPalette::Text, Theme{palette()}.colour(Hue::limit));
    m_given_edit->setPalette(colours);
    if (!given || given.value() == m_given)
        return;
    m_given = given.value();
    ask();
}

// They were measured of another scenario.
void SweepPanel::forgetSpeedups()
{
    const QSignalBlocker quiet{m_given_edit};
    m_given_edit->clear();
    m_given.clear();
    fitGiven();
}

std::vector<QWidget*> SweepPanel::tools() const
{
    return {m_study_box,       m_quantity_box,    m_log_button,       m_x_box,           m_y_box,
            m_detailed_button, m_evolution_label, m_evolution_slider, m_switches_button, m_given_edit};
}

void SweepPanel::layOutHead()
{
    for (QWidget* page :
         std::initializer_list<QWidget*>{m_chart, m_futures_chart, m_changes, m_curves, m_map, m_hint})
        m_pages->addWidget(page);
    layOutChoices(this, tools(), m_legend, m_pages);
}

// A future that is today would show nothing; other pictures begin with today, unless somebody moved on.
void SweepPanel::settleEvolution()
{
    const QSignalBlocker quiet{m_evolution_slider};
    const bool shows_futures = study().picture == StudyPicture::futures;
    if (shows_futures && m_evolution_slider->value() == today) {
        m_evolution_slider->setValue(far_future);
        m_is_in_future_by_itself = true;
    } else if (!shows_futures && std::exchange(m_is_in_future_by_itself, false)) {
        m_evolution_slider->setValue(today);
    }
}

void SweepPanel::connectControls()
{
    connect(m_study_box, &QComboBox::currentIndexChanged, this, [this] {
        fillQuantities();
        settleEvolution();
        showControls();
        ask();
    });
    connect(m_quantity_box, &QComboBox::currentIndexChanged, this, [this] {
        showControls();
        refresh();
        if (!m_given.empty()) // they have points of their own
            ask();
    });
    for (QComboBox* box : {m_x_box, m_y_box})
        connect(box, &QComboBox::currentIndexChanged, this, &SweepPanel::ask);
    for (SegmentButton* button : {m_detailed_button, m_switches_button})
        connect(button, &SegmentButton::toggled, this, &SweepPanel::ask);
    connect(m_log_button, &SegmentButton::toggled, this, &SweepPanel::refresh);
    connect(m_evolution_slider, &QSlider::valueChanged, this, [this] {
        m_is_in_future_by_itself = false;
        showControls();
        ask();
    });
    connect(m_hint, &SearchHint::actionWished, this, &SweepPanel::stopOrSearch);
    connect(&m_progress, &QTimer::timeout, this, &SweepPanel::showProgress);
}

void SweepPanel::connectPictures()
{
    m_chart->setTip([this](int bar, int segment) { return barTip(bar, segment); });
    connect(m_chart, &BarChart::hovered, this, &SweepPanel::onBarHovered);
    connect(m_chart, &BarChart::activated, this, &SweepPanel::onBarActivated);
    connect(m_futures_chart, &BarChart::hovered, this, [this](int bar, int segment) {
        emit statusWished(bar < 0 || !isAnswered() ? QString{} : futuresSentence(m_answer, bar, segment));
    });
    m_futures_chart->setTip([this](int bar, int segment) {
        return isAnswered() ? futuresSentence(m_answer, bar, segment).toHtmlEscaped() : QString{};
    });
    connect(m_changes, &ChangeChart::activated, this, &SweepPanel::onChangeActivated);
    connect(m_changes, &ChangeChart::hovered, this, [this](int row) {
        emit statusWished(row < 0 || !isAnswered() ? QString{} : changeSentence(m_answer, row));
    });
    m_changes->setTip([this](int row) { return isAnswered() ? changeTip(m_answer, row) : QString{}; });
    connect(m_curves, &CurveView::chosen, this, [this](double gpus) {
        if (const SweepPoint* point = isAnswered() ? scalingPointAt(m_answer, gpus) : nullptr)
            wish(point->scenario);
    });
    connect(m_curves, &CurveView::hovered, this,
            [this](double gpus) { emit statusWished(linesAt(gpus).join(QStringLiteral("; "))); });
    m_curves->setTip([this](double gpus) { return linesAt(gpus).join('\n'); });
    m_map->setTip([this](MapCellPlace place) { return cellTip(place); });
    connect(m_map, &MapView::hovered, this, &SweepPanel::onCellHovered);
    connect(m_map, &MapView::activated, this, &SweepPanel::onCellActivated);
}

// Controls that the study has no use for would only take room.
void SweepPanel::showControls()
{
    const StudyPicture picture = study().picture;
    const bool is_map = picture == StudyPicture::map;
    const bool evolves = picture == StudyPicture::projection || picture == StudyPicture::futures;
    m_study_box->setToolTip(
        QStringLiteral("<p>%1</p><p><b>%2</b></p><p>%3</p>")
            .arg(tr("What happens around your scenario: choose what is varied. The scenario itself stays "
                    "until you click a place of the answer."),
                 m_study_box->currentText().toHtmlEscaped(), studyMeaning(study()).toHtmlEscaped()));
    m_quantity_box->setVisible(m_quantity_box->count() > 0);
    for (QWidget* tool : std::initializer_list<QWidget*>{m_x_box, m_y_box, m_detailed_button})
        tool->setVisible(is_map);
    for (QWidget* tool :
         std::initializer_list<QWidget*>{m_evolution_label, m_evolution_slider, m_switches_button})
        tool->setVisible(evolves);
    m_given_edit->setVisible(showsCurves());
    m_log_button->setVisible(showsBars() && canBeLogarithmic(quantity()));
    m_evolution_label->setText(
        tr("compute %1x").arg(m_evolution_slider->value() / static_cast<double>(tenths), 0, 'f', 1));
    m_quantity_box->setMinimumContentsLength(0);
    m_quantity_box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

StudyQuestion SweepPanel::question() const
{
    StudyQuestion asked;
    asked.study = &study();
    asked.predicted = m_content.predicted;
    asked.pinned = m_content.pinned;
    asked.measured = m_content.measured;
    asked.rank = m_selection.rank;
    asked.map_x = static_cast<SweepAxis>(m_x_box->currentData().toInt());
    asked.map_y = static_cast<SweepAxis>(m_y_box->currentData().toInt());
    asked.map_model = m_detailed_button->isChecked() ? MapModel::detailed : MapModel::closed_form;
    if (isAnswered())
        asked.shown_grid = m_answer.grid;
    if (showsCurves())
        asked.given = m_given;
    asked.evolution.flop_vs_bandwidth = m_evolution_slider->value() / static_cast<double>(tenths);
    asked.evolution.in_network_reduction = m_switches_button->isChecked();
    return asked;
}

} // namespace shardscope

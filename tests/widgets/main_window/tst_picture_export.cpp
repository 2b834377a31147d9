#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/main_window/appearance.h"
#include "widgets/main_window/picture_caption.h"
#include "widgets/main_window/picture_export.h"
#include "widgets/panels/measurement/analysis_panel.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/panels/picture_panels.h"
#include "widgets/plots/theme.h"

#include "core/analysis/analyze.h"
#include "core/trace/trace_builder.h"

#include "tests/widgets/sample_content.h"

using namespace shardscope;

namespace
{

// A picture that is one red diagonal.
class DiagonalPanel : public PicturePanel
{
public:
    QString key() const override { return "diagonal"; }
    QString title() const override { return "Diagonal"; }
    void setContent(const Content&) override {}
    void setSelection(const Selection&) override {}
    QString csv() const override { return "x,y\n1,1\n"; }
    void paintTo(QPainter& painter, const QRectF& rectangle) override
    {
        painted = rectangle;
        painter.setPen(QPen{Qt::red, 3});
        painter.drawLine(rectangle.topLeft(), rectangle.bottomRight());
    }
    QSize wholeSize(const QSize& usual) const override { return whole.isEmpty() ? usual : whole; }
    QSize whole; // empty: it adapts to its room
    QRectF painted;
};

const PictureCaption caption{"Diagonal: from corner to corner", {"Predicted: a scenario in a line"}};

QByteArray contentOf(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

// The lines of a drawing.
QStringList textsOf(const QString& path)
{
    static const QRegularExpression text{"<text[^>]*>([^<]*)</text>"};
    QStringList lines;
    const QString drawing = QString::fromUtf8(contentOf(path));
    for (auto found = text.globalMatch(drawing); found.hasNext();)
        lines << found.next().captured(1).trimmed();
    return lines;
}

// One kernel on one rank.
std::shared_ptr<const MeasuredRun> runOf(std::int64_t rank, TraceTime kernel_ns)
{
    TraceBuilder builder;
    builder.addEvent(builder.addTrack("0", "7", true), 0, kernel_ns, "gemm", "kernel");
    auto run = std::make_shared<MeasuredRun>();
    TraceFile file;
    file.rank = rank;
    file.store = builder.finish();
    run->traces.files.push_back(file);
    run->measurement = analyze(run->traces);
    return run;
}

} // namespace

class TestPictureExport : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnWarnings();
        m_panel.resize(900, 600);
        m_panel.whole = {};
    }

    void pngHasTwicePixels()
    {
        const QString file = m_folder.filePath("a.png");
        QVERIFY(exportPicture(m_panel, caption, file));
        const QImage image{file};
        QCOMPARE(m_panel.painted.size(), (QSizeF{900, 600}));
        QVERIFY(image.width() > 2 * 900);
        QVERIFY(image.height() > 2 * 600);
        QCOMPARE(image.pixelColor((2 * m_panel.painted.center()).toPoint()), QColor{Qt::red});
    }

    void aSmallPanelIsDrawnLargeEnoughForASlide()
    {
        m_panel.resize(200, 90);
        pictureImage(m_panel, caption, 1.0);
        QCOMPARE(m_panel.painted.size(), (QSizeF{720, 400}));
    }

    void whatIsScrolledToOnScreenIsInThePicture()
    {
        m_panel.whole = {1200, 2500};
        const QImage image = pictureImage(m_panel, caption, 1.0);
        QCOMPARE(m_panel.painted.size(), QSizeF{m_panel.whole});
        QVERIFY(image.height() > 2500);
    }

    void whatIsHigherThanAnyViewerOpensSaysWhereItEnds()
    {
        m_panel.whole = {720, 12000};
        const QString file = m_folder.filePath("high.png");
        Result<bool> saved = exportPicture(m_panel, caption, file);
        QVERIFY(saved && saved.value()); // whole, though less sharp
        QVERIFY(QImage{file}.height() > 12000);
        m_panel.whole = {720, 40000};
        saved = exportPicture(m_panel, caption, file);
        QVERIFY(saved && !saved.value());
        const QImage image{file};
        QVERIFY(image.height() < 17000);
        QCOMPARE(m_panel.painted.height(), 40000.0); // not squeezed
        saved = exportPicture(m_panel, caption, m_folder.filePath("high.pdf"));
        QVERIFY(saved && !saved.value());
        const QString drawing = m_folder.filePath("high.svg"); // as high as it likes
        saved = exportPicture(m_panel, caption, drawing);
        QVERIFY(saved && saved.value());
        QVERIFY(!contentOf(drawing).contains("The picture ends here"));
    }

    void picturesOfADarkWindowAreLightUnlessAskedFor()
    {
        QApplication::setPalette(paletteFor(true));
        DiagonalPanel dark;
        dark.resize(900, 600);
        const QColor of_window = pictureImage(dark, caption, 1.0, PictureColours::of_window).pixelColor(1, 1);
        const QColor usual = pictureImage(dark, caption, 1.0).pixelColor(1, 1);
        const bool is_dark_again = Theme{dark.palette()}.isDark();
        QApplication::setPalette(paletteFor(false));
        QCOMPARE(usual, QColor{Qt::white});
        QVERIFY(of_window.lightness() < 60);
        QVERIFY(is_dark_again);
    }

    // Words stand above the picture and nothing of them within it.
    void theCaptionStandsAbove()
    {
        const QImage image = pictureImage(m_panel, caption, 1.0);
        const QImage bare = pictureImage(m_panel, {}, 1.0);
        QVERIFY(image.height() > bare.height());
        const QRgb ground = image.pixel(1, 1);
        bool has_words = false;
        for (int y = 0; y < static_cast<int>(image.height() - 600 - 10); ++y)
            for (int x = 0; x < image.width(); ++x)
                has_words = has_words || image.pixel(x, y) != ground;
        QVERIFY(has_words);
    }

    void svgHoldsVectors()
    {
        const QString file = m_folder.filePath("a.svg");
        QVERIFY(exportPicture(m_panel, caption, file));
        const QByteArray content = contentOf(file);
        QVERIFY(content.contains("<svg"));
        QVERIFY(content.contains("viewBox=\"0 0 920 "));
        QVERIFY(content.contains("#ff0000"));
        QVERIFY(content.contains("from corner to corner"));
        QVERIFY(!content.contains("<image"));
    }

    void pdfHasThePicturesSize()
    {
        const QString file = m_folder.filePath("a.pdf");
        QVERIFY(exportPicture(m_panel, caption, file));
        const QByteArray content = contentOf(file);
        QVERIFY(content.startsWith("%PDF"));
        QVERIFY(content.contains("/MediaBox [0 0 690")); // 920 dots at 96 to the inch are 690 points
    }

    // What to open next is for whoever sits at the window, not for a paper's reader.
    void noPictureOfAScenarioAsksForATrace()
    {
        QWidget parent;
        for (PicturePanel* panel : createPicturePanels(&parent)) {
            if (!panel->followsScenario())
                continue; // of a run alone: there is no picture
            panel->resize(900, 600);
            panel->setContent(sample::content());
            const QString file = m_folder.filePath(panel->key() + ".svg");
            QVERIFY(exportPicture(*panel, caption, file));
            QVERIFY2(!contentOf(file).contains("pen a trace"), qPrintable(panel->key()));
            QVERIFY2(!contentOf(file).contains("pen traces"), qPrintable(panel->key()));
        }
    }

    void whatIsSaidAboveATableOfTwoRunsStandsInItsPicture_data()
    {
        QTest::addColumn<int>("section");
        QTest::addColumn<bool>("is_said");
        QTest::newRow("of their time") << static_cast<int>(AnalysisSection::changed_parts) << true;
        QTest::newRow("of their kernels") << static_cast<int>(AnalysisSection::changed_kernels) << true;
        QTest::newRow("where no row differs") << static_cast<int>(AnalysisSection::changed_timers) << true;
        QTest::newRow("not above one run's") << static_cast<int>(AnalysisSection::ranks) << false;
    }
    void whatIsSaidAboveATableOfTwoRunsStandsInItsPicture()
    {
        QFETCH(int, section);
        QFETCH(bool, is_said);
        Content content;
        content.measured = runOf(0, 80'000);
        content.pinned_run = runOf(1, 10'000); // another rank, which a note says
        AnalysisPanel panel;
        panel.resize(400, 300);
        panel.setContent(content);
        panel.finish();
        const QString verdict = panel.findChild<QLabel*>("verdict")->text();
        QVERIFY(verdict.startsWith("An iteration takes 80 µs"));
        auto& box = *panel.findChild<QComboBox*>();
        box.setCurrentIndex(box.findData(section));
        const QString file = m_folder.filePath("runs.svg");
        QVERIFY(exportPicture(panel, {panel.heading(), {}}, file));
        const QStringList lines = textsOf(file);
        QCOMPARE(lines.join(' ').contains(verdict), is_said);
        QVERIFY(!lines.contains(verdict)); // it takes two lines
        QVERIFY(!lines.join(' ').contains("Comparing"));
        for (const char* ending : {"png", "pdf"})
            QVERIFY(exportPicture(panel, {panel.heading(), {}}, m_folder.filePath("runs.") + ending));
    }

    void dataIsWrittenAsItIs()
    {
        const QString file = m_folder.filePath("a.csv");
        QVERIFY(exportData(m_panel, file));
        QCOMPARE(contentOf(file), QByteArray{"x,y\n1,1\n"});
    }

    void otherEndingsAndPlacesAreRefused_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("an ending that is no picture's") << m_folder.filePath("a.doc");
        QTest::newRow("a folder that is not there (png)") << "/nowhere/a.png";
        QTest::newRow("a folder that is not there (svg)") << "/nowhere/a.svg";
        QTest::newRow("a folder that is not there (pdf)") << "/nowhere/a.pdf";
    }
    void otherEndingsAndPlacesAreRefused()
    {
        QFETCH(QString, file);
        const Result<bool> saved = exportPicture(m_panel, caption, file);
        QVERIFY(!saved);
        QVERIFY(QString::fromStdString(saved.error().sentence).contains(file));
    }

    void aFileIsCalledAfterThePicturesTitle_data()
    {
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* title, const char* name) {
            QTest::newRow(title) << QString{title} << QString{name};
        };
        row("Message sizes", "message-sizes");
        row("Messages: stage 0, each rank", "messages-stage-0-each-rank");
        row("Analysis: Since pinned run: time", "analysis-since-pinned-run-time");
        row("Li et al.'s time / iteration", "li-et-als-time-iteration");
        row("Bandwidth × 1.5 (GB/s)", "bandwidth-1.5-gb-s");
        row("Speed-up over μ …", "speed-up-over-μ");
        row("Ends with a dot.", "ends-with-a-dot");
        row("...", "picture");
        row("", "picture");
        row("Demand of models and memory of devices over the years (Pati et al. 2023)",
            "demand-of-models-and-memory-of-devices-over-the-years-pati");
    }
    void aFileIsCalledAfterThePicturesTitle()
    {
        QFETCH(QString, title);
        const PictureCaption titled{title, {}};
        QTEST(fileNameOf(titled), "name");
    }

    void everyPicturesFileHasItsOwnName()
    {
        QWidget parent;
        QStringList names;
        for (PicturePanel* panel : createPicturePanels(&parent)) {
            panel->setContent(sample::content());
            names << fileNameOf(captionOf(*panel, sample::content()));
        }
        QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
        QVERIFY2(names.contains("message-sizes"), qPrintable(names.join(' ')));
    }

    void aCaptionBreaksNoNumber()
    {
        Content content = sample::content();
        auto predicted = std::make_shared<PredictedScenario>(*content.predicted);
        predicted->scenario.training.global_batch_size = 1024;
        content.predicted = predicted;
        const QString line = captionOf(m_panel, content, nullptr).lines.front();
        QVERIFY2(line.contains("1\u00a0024") && !line.contains("1 024"), qPrintable(line));
    }

private:
    QTemporaryDir m_folder;
    DiagonalPanel m_panel;
};

QTEST_MAIN(TestPictureExport)
#include "tst_picture_export.moc"

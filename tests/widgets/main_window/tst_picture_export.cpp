#include <QImage>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>

#include "widgets/main_window/picture_export.h"
#include "widgets/panels/picture_panel.h"

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
        painter.setPen(QPen{Qt::red, 3});
        painter.drawLine(rectangle.topLeft(), rectangle.bottomRight());
    }
};

QByteArray contentOf(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

} // namespace

class TestPictureExport : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"});
        m_panel.resize(300, 200);
    }

    void pngHasTwicePixels()
    {
        const QString file = m_folder.filePath("a.png");
        QVERIFY(exportPicture(m_panel, file));
        const QImage image{file};
        QCOMPARE(image.size(), (QSize{600, 400}));
        QCOMPARE(image.pixelColor(300, 200), QColor{Qt::red});
    }

    void svgHoldsVectors()
    {
        const QString file = m_folder.filePath("a.svg");
        QVERIFY(exportPicture(m_panel, file));
        const QByteArray content = contentOf(file);
        QVERIFY(content.contains("<svg"));
        QVERIFY(content.contains("viewBox=\"0 0 300 200\""));
        QVERIFY(content.contains("#ff0000"));
        QVERIFY(!content.contains("<image"));
    }

    void pdfHasThePicturesSize()
    {
        const QString file = m_folder.filePath("a.pdf");
        QVERIFY(exportPicture(m_panel, file));
        const QByteArray content = contentOf(file);
        QVERIFY(content.startsWith("%PDF"));
        QVERIFY(content.contains("/MediaBox [0 0 225")); // 300 dots at 96 to the inch are 225 points
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
        const Result<bool> saved = exportPicture(m_panel, file);
        QVERIFY(!saved);
        QVERIFY(QString::fromStdString(saved.error().sentence).contains(file));
    }

private:
    QTemporaryDir m_folder;
    DiagonalPanel m_panel;
};

QTEST_MAIN(TestPictureExport)
#include "tst_picture_export.moc"

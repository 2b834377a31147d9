#include "tests/fail_on_warnings.h"
#include "widgets/main_window/remark_line.h"

#include <QImage>
#include <QTest>

using namespace shardscope;

class TestRemarkLine : public QObject
{
    Q_OBJECT

    static QImage pictureOf(const QString& text, int width)
    {
        RemarkLine line;
        line.setText(text);
        line.resize(width, 20);
        QImage image{line.size(), QImage::Format_ARGB32};
        image.fill(Qt::white);
        line.render(&image);
        return image;
    }

private slots:
    void init() { failOnWarnings(); }

    void itGivesWayToOthers()
    {
        RemarkLine line;
        line.setText(QString{200, 'm'});
        QCOMPARE(line.minimumSizeHint().width(), 0);
        QVERIFY(line.sizeHint().width() > 500);
    }

    void whatHasNoRoomEndsWithAnEllipsis()
    {
        const QString text{200, 'm'};
        const RemarkLine line;
        const QString shown = line.fontMetrics().elidedText(text, Qt::ElideRight, 150);
        QVERIFY(shown.endsWith(QChar{0x2026}));
        QCOMPARE(pictureOf(text, 150), pictureOf(shown, 150));
        QVERIFY(pictureOf(text, 150) != pictureOf(text.left(shown.size()), 150));
    }
};

QTEST_MAIN(TestRemarkLine)
#include "tst_remark_line.moc"

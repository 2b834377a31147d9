#include "widgets/main_window/picture_export.h"

#include "widgets/main_window/appearance.h"
#include "widgets/main_window/picture_caption.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/plots/theme.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <limits>

namespace shardscope
{

namespace
{

constexpr double png_scale = 2.0;

Error cannotWrite(const QString& file, const QString& why)
{
    return Error{file.toStdString() + ": cannot be written (" + why.toStdString()
                 + "); choose another place"};
}

constexpr QSize usual_picture{720, 400}; // letters are readable where it fills a slide or a page
constexpr int most_lines = 16000;        // of a PNG, which viewers still open
constexpr int highest_page = 19000;      // a PDF's ends at 14 400 points
constexpr int any_height = std::numeric_limits<int>::max();
constexpr int picture_margin = 10;
constexpr double title_growth = 1.2;
constexpr int text_flags = Qt::AlignLeft | Qt::TextWordWrap;

// The panel has other colours as long as this lives.
class Recoloured
{
public:
    Recoloured(PicturePanel& panel, PictureColours colours) : m_panel{panel}
    {
        m_is_needed = colours == PictureColours::light && Theme{panel.palette()}.isDark();
        if (m_is_needed)
            m_panel.setPalette(paletteFor(false));
    }
    ~Recoloured()
    {
        if (m_is_needed)
            m_panel.setPalette(QPalette{}); // the window's
    }
    Recoloured(const Recoloured&) = delete;
    Recoloured& operator=(const Recoloured&) = delete;

private:
    PicturePanel& m_panel;
    bool m_is_needed = false;
};

// A caption and the panel's picture below it, which ends at `highest`.
class Page
{
public:
    Page(PicturePanel& panel, const PictureCaption& caption, PictureColours colours, int highest)
        : m_panel{panel},
          m_caption{caption},
          m_recoloured{panel, colours},
          m_title_font{panel.font()},
          m_line_font{panel.font()}
    {
        m_title_font.setWeight(QFont::DemiBold);
        m_title_font.setPointSizeF(m_title_font.pointSizeF() * title_growth);
        m_picture = panel.wholeSize(panel.size().expandedTo(usual_picture));
        m_shown = std::min(m_picture.height(), highest);
        m_width = std::max(m_picture.width(), usual_picture.width());
        m_head = picture_margin + textHeight(m_title_font, caption.title);
        for (const QString& line : caption.lines)
            m_head += textHeight(m_line_font, line);
        m_head += picture_margin / 2;
        m_foot = isWhole() ? 0 : textHeight(m_line_font, ending());
    }

    bool isWhole() const { return m_shown == m_picture.height(); }
    // Of the screen, by which letters were measured: one of its pixels is one dot, so text keeps its
    // proportion.
    int dotsPerInch() const { return m_panel.logicalDpiX(); }
    QSize size() const { return {m_width + 2 * picture_margin, m_head + m_shown + m_foot + picture_margin}; }

    void paint(QPainter& painter) const
    {
        const Theme theme{m_panel.palette()};
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillRect(QRectF{QPointF{0, 0}, QSizeF{size()}}, theme.background());
        int top = picture_margin;
        const auto write = [&](const QFont& font, const QColor& colour, const QString& text) {
            const int height = textHeight(font, text);
            painter.setFont(font);
            painter.setPen(colour);
            painter.drawText(QRectF(picture_margin, top, m_width, height), text_flags, text);
            top += height;
        };
        write(m_title_font, theme.text(), m_caption.title);
        for (const QString& line : m_caption.lines)
            write(m_line_font, theme.faintText(), line);
        painter.save();
        if (!isWhole())
            painter.setClipRect(QRectF(picture_margin, m_head, m_picture.width(), m_shown));
        m_panel.paintTo(painter, QRectF{QPointF(picture_margin, m_head), QSizeF{m_picture}});
        painter.restore();
        top = m_head + m_shown;
        if (!isWhole())
            write(m_line_font, theme.colour(Hue::limit), ending());
    }

private:
    QString ending() const
    {
        return QCoreApplication::translate(
                   "PictureExport", "The picture ends here, after %1 % of its height; the CSV has all of it.")
            .arg(100LL * m_shown / m_picture.height());
    }

    int textHeight(const QFont& font, const QString& text) const
    {
        return QFontMetrics{font}.boundingRect(QRect{0, 0, m_width, most_lines}, text_flags, text).height()
               + 2;
    }

    PicturePanel& m_panel;
    const PictureCaption& m_caption;
    Recoloured m_recoloured;
    QFont m_title_font;
    QFont m_line_font;
    QSize m_picture; // all of it
    int m_shown = 0; // of its height
    int m_width = 0;
    int m_head = 0;
    int m_foot = 0;
};

QImage imageOf(const Page& page, double scale)
{
    QImage image{page.size() * scale, QImage::Format_RGB32};
    image.setDevicePixelRatio(scale);
    QPainter painter{&image};
    page.paint(painter);
    return image;
}

// Less sharp where it would otherwise not be whole.
double scaleFor(const Page& page, double wished)
{
    return std::clamp(static_cast<double>(most_lines) / page.size().height(), 1.0, wished);
}

Result<bool> exportPng(const Page& page, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly) || !imageOf(page, scaleFor(page, png_scale)).save(&target, "PNG")
        || !target.commit())
        return cannotWrite(file, target.errorString());
    return page.isWhole();
}

Result<bool> exportSvg(const Page& page, const QString& title, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly))
        return cannotWrite(file, target.errorString());
    QSvgGenerator generator;
    generator.setOutputDevice(&target);
    generator.setResolution(page.dotsPerInch());
    generator.setSize(page.size());
    generator.setViewBox(QRect{{}, page.size()});
    generator.setTitle(title);
    QPainter painter{&generator};
    page.paint(painter);
    painter.end();
    return target.commit() ? Result<bool>{page.isWhole()} : cannotWrite(file, target.errorString());
}

Result<bool> exportPdf(const Page& page, const QString& title, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly))
        return cannotWrite(file, target.errorString());
    const QSizeF points = QSizeF{page.size()} * (72.0 / page.dotsPerInch());
    {
        QPdfWriter writer{&target};
        writer.setResolution(page.dotsPerInch());
        writer.setPageMargins(QMarginsF{});
        writer.setPageSize(QPageSize{points, QPageSize::Point, {}, QPageSize::ExactMatch});
        writer.setTitle(title);
        QPainter painter{&writer};
        page.paint(painter);
    }
    return target.commit() ? Result<bool>{page.isWhole()} : cannotWrite(file, target.errorString());
}

} // namespace

QImage pictureImage(PicturePanel& panel, const PictureCaption& caption, double scale, PictureColours colours)
{
    const Page page{panel, caption, colours, most_lines};
    return imageOf(page, scaleFor(page, scale));
}

Result<bool> exportPicture(PicturePanel& panel, const PictureCaption& caption, const QString& file,
                           PictureColours colours)
{
    const QString ending = QFileInfo{file}.suffix().toLower();
    if (ending == "png")
        return exportPng(Page{panel, caption, colours, most_lines}, file);
    if (ending == "svg")
        return exportSvg(Page{panel, caption, colours, any_height}, caption.title, file);
    if (ending == "pdf")
        return exportPdf(Page{panel, caption, colours, highest_page}, caption.title, file);
    return Error{file.toStdString()
                 + ": pictures are written as .png, .svg or .pdf; choose one of these endings"};
}

Result<bool> exportData(const PicturePanel& panel, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly) || target.write(panel.csv().toUtf8()) < 0 || !target.commit())
        return cannotWrite(file, target.errorString());
    return true;
}

} // namespace shardscope

#include "widgets/main_window/picture_export.h"

#include "widgets/panels/picture_panel.h"
#include "widgets/plots/theme.h"

#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace shardscope
{

namespace
{

constexpr double png_scale = 2.0;
constexpr int pdf_dots_per_inch = 96; // one of the screen's pixels is one dot, so text keeps its proportion

Error cannotWrite(const QString& file, const QString& why)
{
    return Error{file.toStdString() + ": cannot be written (" + why.toStdString()
                 + "); choose another place"};
}

void paintPage(PicturePanel& panel, QPainter& painter, const QSizeF& size)
{
    const QRectF page{QPointF{0, 0}, size};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(page, Theme{panel.palette()}.background());
    panel.paintTo(painter, page);
}

Result<bool> exportPng(PicturePanel& panel, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly) || !pictureImage(panel, png_scale).save(&target, "PNG")
        || !target.commit())
        return cannotWrite(file, target.errorString());
    return true;
}

Result<bool> exportSvg(PicturePanel& panel, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly))
        return cannotWrite(file, target.errorString());
    QSvgGenerator generator;
    generator.setOutputDevice(&target);
    generator.setSize(panel.size());
    generator.setViewBox(QRect{{}, panel.size()});
    generator.setTitle(panel.title());
    QPainter painter{&generator};
    paintPage(panel, painter, panel.size());
    painter.end();
    return target.commit() ? Result<bool>{true} : cannotWrite(file, target.errorString());
}

Result<bool> exportPdf(PicturePanel& panel, const QString& file)
{
    QSaveFile target{file};
    if (!target.open(QIODevice::WriteOnly))
        return cannotWrite(file, target.errorString());
    const QSizeF page = QSizeF{panel.size()} * (72.0 / pdf_dots_per_inch);
    {
        QPdfWriter writer{&target};
        writer.setResolution(pdf_dots_per_inch);
        writer.setPageMargins(QMarginsF{});
        writer.setPageSize(QPageSize{page, QPageSize::Point, {}, QPageSize::ExactMatch});
        writer.setTitle(panel.title());
        QPainter painter{&writer};
        paintPage(panel, painter, panel.size());
    }
    return target.commit() ? Result<bool>{true} : cannotWrite(file, target.errorString());
}

} // namespace

QImage pictureImage(PicturePanel& panel, double scale)
{
    QImage image{panel.size() * scale, QImage::Format_RGB32};
    image.setDevicePixelRatio(scale);
    QPainter painter{&image};
    paintPage(panel, painter, panel.size());
    return image;
}

Result<bool> exportPicture(PicturePanel& panel, const QString& file)
{
    const QString ending = QFileInfo{file}.suffix().toLower();
    if (ending == "png")
        return exportPng(panel, file);
    if (ending == "svg")
        return exportSvg(panel, file);
    if (ending == "pdf")
        return exportPdf(panel, file);
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

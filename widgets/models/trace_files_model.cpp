#include "widgets/models/trace_files_model.h"

#include "widgets/session/shown_text.h"

#include <QSet>

#include <array>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::array<const char*, TraceFilesModel::ColumnCount> titles{
    "File", "Format", "Rank", "Status", "Events", "Size", "Read in", "Remarks"};

QString statusText(FileStatus status)
{
    switch (status) {
    case FileStatus::ok:
        return TraceFilesModel::tr("ok");
    case FileStatus::recovered:
        return TraceFilesModel::tr("recovered");
    case FileStatus::rejected:
        break;
    }
    return TraceFilesModel::tr("rejected");
}

// Why nothing was read, or what was odd and how often, and what to know about the figures.
QString remarks(const TraceFile& file)
{
    if (file.status == FileStatus::rejected)
        return toQString(file.rejection);
    QStringList parts;
    for (const ImportWarning& warning : file.warnings)
        parts << QString{"%1 × %2"}.arg(warning.count).arg(toQString(warning.what));
    for (const std::string& note : file.notes)
        parts << toQString(note);
    return parts.join("; ");
}

QString text(const TraceFile& file, int column)
{
    switch (column) {
    case TraceFilesModel::FormatColumn:
        return toQString(file.format);
    case TraceFilesModel::RankColumn:
        if (!file.rank_is_known)
            return TraceFilesModel::tr("%1 (assumed)").arg(file.rank);
        if (file.rank_guess == RankGuess::folder_name)
            return TraceFilesModel::tr("%1 (its folder's)").arg(file.rank);
        if (file.rank_guess == RankGuess::layout)
            return TraceFilesModel::tr("%1 (by its layout)").arg(file.rank);
        return QString::number(file.rank);
    case TraceFilesModel::StatusColumn:
        return statusText(file.status);
    case TraceFilesModel::EventsColumn:
        return groupedText(file.slices);
    case TraceFilesModel::SizeColumn:
        return bytesText(static_cast<double>(file.bytes_uncompressed));
    case TraceFilesModel::TimeColumn:
        return secondsText(file.load_s);
    default:
        return remarks(file);
    }
}

// The last parts of each path, as many as tell it from the others.
QStringList shortNames(const std::vector<TraceFile>& files)
{
    constexpr int most_parts = 3;
    QStringList names;
    for (int parts = 1; parts <= most_parts; ++parts) {
        names.clear();
        for (const TraceFile& file : files)
            names << toQString(file.path).section('/', -parts);
        if (QSet<QString>{names.begin(), names.end()}.size() == names.size())
            break;
    }
    return names;
}

bool isNumber(int column)
{
    return column == TraceFilesModel::RankColumn || column == TraceFilesModel::EventsColumn
           || column == TraceFilesModel::SizeColumn || column == TraceFilesModel::TimeColumn;
}

} // namespace

void TraceFilesModel::setRun(std::shared_ptr<const MeasuredRun> run)
{
    if (run == m_run)
        return;
    beginResetModel();
    m_run = std::move(run);
    m_names = m_run ? shortNames(m_run->traces.files) : QStringList{};
    endResetModel();
}

int TraceFilesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_run ? 0 : static_cast<int>(m_run->traces.files.size());
}

int TraceFilesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TraceFilesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const TraceFile& file = m_run->traces.files[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole && index.column() == FileColumn)
        return m_names[index.row()];
    if (role == Qt::DisplayRole)
        return text(file, index.column());
    if (role == Qt::EditRole && index.column() == RankColumn)
        return static_cast<int>(file.rank);
    if (role == Qt::TextAlignmentRole && isNumber(index.column()))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == RankColumn && file.status != FileStatus::rejected)
        return tr("Double-click to give the file another rank");
    if (role == Qt::ToolTipRole)
        return index.column() == FileColumn ? toQString(file.path) : text(file, index.column());
    return {};
}

Qt::ItemFlags TraceFilesModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid() || index.column() != RankColumn)
        return flags;
    const TraceFile& file = m_run->traces.files[static_cast<std::size_t>(index.row())];
    return file.status == FileStatus::rejected ? flags : flags | Qt::ItemIsEditable;
}

bool TraceFilesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    bool is_number = false;
    const int rank = value.toInt(&is_number);
    if (role != Qt::EditRole || !flags(index).testFlag(Qt::ItemIsEditable) || !is_number || rank < 0)
        return false;
    const TraceFile& file = m_run->traces.files[static_cast<std::size_t>(index.row())];
    if (file.rank_is_known && file.rank_guess == RankGuess::none && file.rank == rank)
        return false;
    emit rankGiven(toQString(file.path), rank);
    return true;
}

QVariant TraceFilesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return tr(titles[static_cast<std::size_t>(section)]);
}

} // namespace shardscope

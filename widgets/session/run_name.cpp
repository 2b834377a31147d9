#include "widgets/session/run_name.h"

#include "widgets/session/shown_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace shardscope
{

QString runName(const MeasuredRun& run)
{
    QString name;
    if (run.traces.files.size() == 1)
        name = QFileInfo{toQString(run.traces.files.front().path)}.fileName();
    else if (!run.traces.files.empty())
        name = QFileInfo{toQString(run.traces.files.front().path)}.dir().dirName();
    const std::size_t ranks = run.measurement.ranks.size();
    if (ranks == 0)
        return name;
    const QString with_ranks =
        QCoreApplication::translate("RunName", ranks == 1 ? "%1, %2 rank" : "%1, %2 ranks")
            .arg(name, QString::number(ranks));
    const std::optional<std::int64_t>& step = run.measurement.step;
    return step ? QCoreApplication::translate("RunName", "%1, step %2").arg(with_ranks).arg(*step)
                : with_ranks;
}

} // namespace shardscope

#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

// What shardscope-cli answered to a command line.
struct CliRun {
    int status = -1;
    QByteArray output;
    QString errors;

    QList<QByteArray> lines() const
    {
        QList<QByteArray> all = output.split('\n');
        if (!all.isEmpty() && all.last().isEmpty())
            all.removeLast();
        return all;
    }
};

inline CliRun runCli(const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(QStringLiteral(SHARDSCOPE_CLI), arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError())};
}

// What is amiss with a run that had to be refused: nothing if it ended with `status`, answered nothing and
// said what is wrong in one sentence that holds `part`.
inline QString amissInRefusal(const CliRun& run, int status, const QString& part)
{
    if (run.status != status)
        return QStringLiteral("ended with %1: %2").arg(run.status).arg(run.errors);
    if (!run.output.isEmpty())
        return QStringLiteral("answered: %1").arg(QString::fromUtf8(run.output));
    const bool is_sentence =
        run.errors.startsWith(QStringLiteral("shardscope-cli: error: ")) && run.errors.count('\n') == 1;
    return is_sentence && run.errors.contains(part) ? QString{} : run.errors;
}

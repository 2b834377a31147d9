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

#pragma once

#include <QObject>
#include <QString>

#include <exception>

namespace shardscope
{

// Says what work off the GUI thread failed of, whoever had asked for it; the window tells the user.
class JobFailures : public QObject
{
    Q_OBJECT
public:
    static JobFailures& ofProgram();
    // "there is not enough memory for what was asked: ...": why there is no answer.
    static QString sentenceOf(const std::exception_ptr& failure);

signals:
    void failed(const QString& sentence);
};

} // namespace shardscope

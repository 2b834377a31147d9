#pragma once

#include <QSignalSpy>

#include "widgets/session/session.h"

namespace shardscope
{

// What was told so far with a way to another place.
inline QList<Notice> noticesWith(const QSignalSpy& told, Offer offer, Severity severity)
{
    QList<Notice> notices;
    for (const QList<QVariant>& arguments : told) {
        const auto notice = arguments.front().value<Notice>();
        if (notice.offer == offer && notice.severity == severity)
            notices << notice;
    }
    return notices;
}

} // namespace shardscope

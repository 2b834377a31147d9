#include "widgets/session/shown_text.h"

#include <QRegularExpression>

namespace shardscope
{

QString withUnbrokenNumbers(QString text)
{
    static const QRegularExpression within{
        "(?<=\\d) (?=\\d{3}(?!\\d)|[KMGTPE]?i?B\\b|[GTPEZ]B/s|[GTPEZ]FLOP|[mnµ]?s\\b)"};
    return text.replace(within, QString{QChar::Nbsp});
}

} // namespace shardscope

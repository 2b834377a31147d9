#include "widgets/panels/scenario/setting_search.h"

#include <QRegularExpression>

#include <algorithm>

namespace shardscope
{

SettingSearch::SettingSearch(const QString& typed)
    : m_words{typed.split(QRegularExpression{QStringLiteral("\\s+")}, Qt::SkipEmptyParts)}
{
}

bool SettingSearch::finds(const QString& text) const
{
    return std::ranges::all_of(m_words,
                               [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace shardscope

#pragma once

#include <QString>
#include <QStringList>

namespace shardscope
{

// What is typed to find settings: words, each of which has to stand somewhere in what is said of a setting,
// in small or capital letters, as a word or a part of one.
class SettingSearch
{
public:
    SettingSearch() = default; // finds everything
    explicit SettingSearch(const QString& typed);

    bool isOn() const { return !m_words.isEmpty(); }
    bool finds(const QString& text) const;

private:
    QStringList m_words;
};

} // namespace shardscope

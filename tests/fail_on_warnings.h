#pragma once

#include <QRegularExpression>
#include <QTest>

namespace shardscope
{

// A warning of Qt's fails the test, but for what its platform without a screen says of itself.
inline void failOnWarnings()
{
    QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"});
}

} // namespace shardscope

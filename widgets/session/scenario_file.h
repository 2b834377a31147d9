#pragma once

#include <QString>

namespace shardscope
{

// What the names of scenario files end with.
inline const QString scenario_ending = QStringLiteral(".scenario.json");

// Whether a file is meant as a scenario, told by what is in it (looksLikeScenario). A file named
// *.scenario.json is one even when its JSON is broken, so that the reader can say where.
bool isScenarioFile(const QString& path);

// Whether the file comes with the program: examples, the sample. Nothing is saved into it.
bool isShipped(const QString& path);

// The scenario that lies with the traces of a folder: its only *.scenario.json. Empty: it has none, or
// several.
QString scenarioIn(const QString& folder);

} // namespace shardscope

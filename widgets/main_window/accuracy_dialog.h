#pragma once

class QDialog;
class QWidget;

namespace shardscope
{

class Session;

// How far predictions are from published measurements: every case, in a window of its own. A case that is
// opened becomes the session's scenario. Nothing when the cases cannot be read, which the session then tells.
QDialog* showAccuracy(Session& session, QWidget* parent);

} // namespace shardscope

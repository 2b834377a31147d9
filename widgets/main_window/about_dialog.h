#pragma once

class QWidget;

namespace shardscope
{

// Who wrote it, under which licence, with what.
void showAbout(QWidget* parent);

// What the short names of messages and sizes stand for.
void showGlossary(QWidget* parent);

// The keys and mouse gestures of the window and its pictures.
void showKeys(QWidget* parent);

} // namespace shardscope

#pragma once

#include <QFile>
#include <QTemporaryDir>

// The path of a file of that text, which is what a command line names.
inline QString writeFile(const QTemporaryDir& folder, const QString& name, const QByteArray& text)
{
    QFile file{folder.filePath(name)};
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(name));
    return file.fileName();
}

#include "app/desktop/screenshot.h"

#include "widgets/main_window/main_window.h"
#include "widgets/session/session.h"

#include <QCoreApplication>
#include <QPixmap>

#include <cstdio>

namespace shardscope
{

namespace
{

constexpr int look_interval_ms = 15;
constexpr int quiet_looks_needed = 3; // layouts settle and queued repaints run in between

void complain(const QString& sentence)
{
    std::fprintf(stderr, "shardscope: error: %s\n", qPrintable(sentence));
}

} // namespace

Screenshot::Screenshot(MainWindow& window, QWidget& shown, const QString& file)
    : m_window{window}, m_shown{shown}, m_file{file}
{
    connect(&window.session(), &Session::failed, this, [this](const QString& sentence) {
        complain(sentence);
        m_failed = true;
    });
    connect(&m_clock, &QTimer::timeout, this, &Screenshot::look);
    m_clock.start(look_interval_ms);
}

void Screenshot::look()
{
    m_quiet_looks = m_window.isSettled() ? m_quiet_looks + 1 : 0;
    if (m_quiet_looks >= quiet_looks_needed)
        finish();
}

void Screenshot::finish()
{
    m_clock.stop();
    if (!m_shown.grab().save(m_file)) {
        complain(
            m_file
            + ": the picture cannot be written; choose a place that exists and a name that ends in .png");
        m_failed = true;
    }
    QCoreApplication::exit(m_failed ? 1 : 0);
}

} // namespace shardscope

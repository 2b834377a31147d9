#include <QTest>

#include "core/base/user_folders.h"

using namespace shardscope;

class TestUserFolders : public QObject
{
    Q_OBJECT
private slots:
    void theVariableHoldsElseTheHomeDoes_data()
    {
        QTest::addColumn<QByteArray>("xdg");
        QTest::addColumn<QByteArray>("home");
        QTest::addColumn<QString>("expected");
        QTest::newRow("both are set") << QByteArray{"/data"} << QByteArray{"/home/me"} << "/data/shardscope";
        QTest::newRow("only the home is set")
            << QByteArray{} << QByteArray{"/home/me"} << "/home/me/.local/share/shardscope";
        QTest::newRow("an empty variable is none")
            << QByteArray{""} << QByteArray{"/home/me"} << "/home/me/.local/share/shardscope";
        QTest::newRow("nothing is set") << QByteArray{} << QByteArray{} << "";
        QTest::newRow("an empty home is none") << QByteArray{} << QByteArray{""} << "";
    }
    void theVariableHoldsElseTheHomeDoes()
    {
        QFETCH(QByteArray, xdg);
        QFETCH(QByteArray, home);
        QFETCH(QString, expected);
        setOrUnset("XDG_DATA_HOME", xdg);
        setOrUnset("HOME", home);
        QCOMPARE(QString::fromStdString(userDataFolder().value_or("").string()), expected);
    }

    void settingsAndCacheHaveFoldersOfTheirOwn()
    {
        qputenv("HOME", "/home/me");
        qunsetenv("XDG_CONFIG_HOME");
        qunsetenv("XDG_CACHE_HOME");
        QCOMPARE(userSettingsFolder().value().string(), std::string{"/home/me/.config/shardscope"});
        QCOMPARE(userCacheFolder().value().string(), std::string{"/home/me/.cache/shardscope"});
    }

private:
    static void setOrUnset(const char* variable, const QByteArray& value)
    {
        value.isNull() ? qunsetenv(variable) : qputenv(variable, value);
    }
};

QTEST_APPLESS_MAIN(TestUserFolders)
#include "tst_user_folders.moc"

#include <QTest>

#include "core/scenario/shell/here_documents.h"

using namespace shardscope;

namespace
{

// "$F: text", a literal one with a mark.
QStringList documentsOf(const QByteArray& script)
{
    const std::string text = script.toStdString();
    QStringList found;
    for (const HereDocument& one : hereDocuments(text))
        found << QString::fromStdString(std::string{one.target} + (one.is_literal ? "! " : ": ")
                                        + std::string{one.text});
    return found;
}

} // namespace

class TestHereDocuments : public QObject
{
    Q_OBJECT
private slots:
    void textsAreFoundWithTheirFiles_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QStringList>("documents");
        const auto row = [](const char* name, const char* script, const QStringList& documents) {
            QTest::newRow(name) << QByteArray(script) << documents;
        };
        row("the file behind", "a\ncat <<EOT > $F\n{\n}\nEOT\nb\n", {"$F: {\n}\n"});
        row("the file before", "cat > \"$D/a b.json\" << EOT\n1\nEOT", {"\"$D/a b.json\": 1\n"});
        row("appended, without blanks", "cat<<EOT>>x.json\n1\nEOT\n", {"x.json: 1\n"});
        row("by tee", "tee x.json <<EOF\n1\nEOF\n", {"x.json: 1\n"});
        row("by tee, whatever it prints", "cat <<X | tee -a c.json > /dev/null\n1\nX\n", {"c.json: 1\n"});
        row("by a command that ends like tee", "goatee x <<X > y\n1\nX\n", {"y: 1\n"});
        row("an end with a hyphen", "cat <<END-OF.JSON > x\n1\nEND\nEND-OF.JSON\n", {"x: 1\nEND\n"});
        row("an end with a blank", "cat > x <<'THE END'\n1\nTHE END\n", {"x! 1\n"});
        row("an end that is quoted in part", "cat <<E\\OF > x\n1\nEOF\n", {"x! 1\n"});
        row("errors go elsewhere", "cat <<EOF 2> e > x.json\n1\nEOF\n", {"x.json: 1\n"});
        row("to no file", "python - <<EOF\n1\nEOF\n", {": 1\n"});
        row("a file that is made", "cat <<EOF > $(dirname $0)/x.json\n1\nEOF\n",
            {"$(dirname $0)/x.json: 1\n"});
        row("literal", "cat <<'EOF' > x\n$A\nEOF\n", {"x! $A\n"});
        row("literal by other quotes", "cat <<\"EOF\" > x\n$A\nEOF\n", {"x! $A\n"});
        row("behind tabs", "cat <<-EOF > x\n\t1\n\tEOF\nb", {"x: \t1\n"});
        row("two of one end", "cat <<E > x\n1\nE\ncat <<E > y\n2\nE\n", {"x: 1\n", "y: 2\n"});
        row("nothing in it", "cat <<E > x\nE\n", {"x: "});
        row("a beginning in another's text", "cat <<E > x\ncat <<F > y\nE\n", {"x: cat <<F > y\n"});
        row("no end", "cat <<E > x\n1\n E\nEE\n", {});
        row("a string in its place", "cat <<< E > x\nE\n", {});
        row("a shift", "A=$((1 << 4))\n4\nB=$((1 << C))\n", {});
        row("a comment", "# cat <<E > x\n1\nE\n", {});
        row("nothing", "", {});
        row("a beginning at the end", "cat <<", {});
    }
    void textsAreFoundWithTheirFiles()
    {
        QFETCH(QByteArray, script);
        QTEST(documentsOf(script), "documents");
    }

    void beginningsHaveAnEnd()
    {
        QCOMPARE(documentsOf(QByteArray("cat <<E\n").repeated(500'000)), QStringList{});
        const QByteArray many = QByteArray("cat <<E > x\n1\nE\n").repeated(1000);
        QCOMPARE(documentsOf(many).size(), 100);
    }
};

QTEST_APPLESS_MAIN(TestHereDocuments)
#include "tst_here_documents.moc"

#include <QtTest>

#include "core/import/streams/byte_stream.h"
#include "core/import/streams/inflater.h"

#include <zlib.h>

#include <cstring>

using namespace shardscope;

namespace
{

class MemoryStream final : public ByteStream
{
public:
    explicit MemoryStream(std::string bytes) : m_bytes(std::move(bytes)) {}
    std::size_t read(std::span<char> into) override
    {
        const std::size_t count = std::min(into.size(), m_bytes.size() - m_at);
        std::memcpy(into.data(), m_bytes.data() + m_at, count);
        m_at += count;
        return count;
    }
    std::int64_t bytesOfFile() const override { return static_cast<std::int64_t>(m_at); }
    std::string damage() const override { return {}; }

private:
    std::string m_bytes;
    std::size_t m_at = 0;
};

std::string gzipped(const std::string& text)
{
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string out(deflateBound(&stream, text.size()) + 32, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

// Everything the stream gives, read in pieces of odd sizes.
std::string all(ByteStream& stream)
{
    std::string out;
    std::string piece(1237, '\0');
    for (std::size_t got = piece.size(); got == piece.size();) {
        got = stream.read(piece);
        out.append(piece, 0, got);
    }
    return out;
}

std::string longText()
{
    std::string text;
    for (int i = 0; i < 60000; ++i)
        text += "{\"ph\": \"X\", \"ts\": " + std::to_string(i * 7919) + "},\n";
    return text;
}

} // namespace

class TestByteStream : public QObject
{
    Q_OBJECT

private slots:
    void everythingInAGzipStreamIsGivenOut_data();
    void everythingInAGzipStreamIsGivenOut();
    void damagedGzipGivesWhatCameBefore();
    void cutAtEveryByteItNeverHangs();
    void bothInflatersAgree();
    void peekingDoesNotUseUp();
    void bombsAreDefused();
};

void TestByteStream::everythingInAGzipStreamIsGivenOut_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("is_damaged");
    const std::string text = longText();
    const std::string packed = gzipped(text);
    const auto bytes = [](const std::string& from) { return QByteArray::fromStdString(from); };
    QTest::newRow("one member") << bytes(packed) << bytes(text) << false;
    QTest::newRow("an empty one") << bytes(gzipped("")) << QByteArray() << false;
    QTest::newRow("three members") << bytes(packed + gzipped("x") + packed) << bytes(text + "x" + text)
                                   << false;
    QTest::newRow("zeros behind it") << bytes(packed + std::string(512, '\0')) << bytes(text) << false;
    QTest::newRow("rubbish behind it") << bytes(packed + "rubbish") << bytes(text) << true;
}

void TestByteStream::everythingInAGzipStreamIsGivenOut()
{
    QFETCH(QByteArray, bytes);
    QFETCH(bool, is_damaged);
    const auto stream = inflateGzip(std::make_unique<MemoryStream>(bytes.toStdString()));
    const QByteArray text = QByteArray::fromStdString(all(*stream));
    QTEST(text, "text");
    QCOMPARE(!stream->damage().empty(), is_damaged);
    QVERIFY(stream->bytesOfFile() > 0);
}

void TestByteStream::damagedGzipGivesWhatCameBefore()
{
    const std::string text = longText();
    const std::string packed = gzipped(text);
    const auto cut = inflateGzip(std::make_unique<MemoryStream>(packed.substr(0, packed.size() / 2)));
    const std::string half = all(*cut);
    QVERIFY(half.size() > text.size() / 3);
    QVERIFY(text.starts_with(half));
    QVERIFY(cut->damage().find("cut short") != std::string::npos);

    std::string broken = packed;
    broken[packed.size() / 2] = static_cast<char>(broken[packed.size() / 2] ^ 0x55);
    const auto stream = inflateGzip(std::make_unique<MemoryStream>(broken));
    all(*stream);
    QVERIFY(!stream->damage().empty());
}

void TestByteStream::cutAtEveryByteItNeverHangs()
{
    const std::string text = "{\"traceEvents\": [{\"ph\": \"X\"}]}";
    const std::string packed = gzipped(text);
    for (std::size_t size = 2; size < packed.size(); ++size) {
        const auto stream = inflateGzip(std::make_unique<MemoryStream>(packed.substr(0, size)));
        QVERIFY(text.starts_with(all(*stream)));
        QVERIFY(!stream->damage().empty());
    }
}

void TestByteStream::bothInflatersAgree()
{
    const std::string text = longText();
    const std::string packed = gzipped(text);
    for (const auto& inflater : {makeInflater(), makeZlibInflater()}) {
        std::string out(text.size(), '\0');
        std::span<const char> in(packed);
        std::span<char> room(out);
        QCOMPARE(inflater->inflate(in, room), InflateState::member_ends);
        QVERIFY(in.empty());
        QVERIFY(out == text);
    }
}

void TestByteStream::peekingDoesNotUseUp()
{
    PeekedStream stream(std::make_unique<MemoryStream>("0123456789"));
    QVERIFY(stream.peek(2) == "01");
    QVERIFY(stream.peek(4) == "0123");
    QCOMPARE(all(stream), std::string("0123456789"));
    PeekedStream brief(std::make_unique<MemoryStream>("01"));
    QVERIFY(brief.peek(100) == "01");
    QCOMPARE(all(brief), std::string("01"));
}

void TestByteStream::bombsAreDefused()
{
    const std::string zeros = gzipped(std::string(std::size_t{64} << 20, ' ')); // about 1,000 times smaller
    std::string bomb;
    for (int i = 0; i < 40; ++i)
        bomb += zeros;
    const auto stream = inflateGzip(std::make_unique<MemoryStream>(bomb));
    std::string piece(std::size_t{4} << 20, '\0');
    std::size_t bytes = 0;
    for (std::size_t got = piece.size(); got == piece.size(); bytes += got)
        got = stream->read(piece);
    QVERIFY(bytes < std::size_t{1} << 30);
    QVERIFY(!stream->damage().empty());
}

QTEST_APPLESS_MAIN(TestByteStream)
#include "tst_byte_stream.moc"

#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace shardscope
{

// What went wrong, as a sentence for the user: what is wrong and what to do about it.
struct Error {
    std::string sentence;
};

// A value, or the sentence that says why there is none. For the user's mistakes; ours are asserts.
template<class T>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_content{std::in_place_index<0>, std::move(value)} {}
    Result(Error error) : m_content{std::in_place_index<1>, std::move(error)} {}

    explicit operator bool() const { return m_content.index() == 0; }
    const T& value() const&
    {
        assert(*this);
        return std::get<0>(m_content);
    }
    T& value() &
    {
        assert(*this);
        return std::get<0>(m_content);
    }
    T&& value() &&
    {
        assert(*this);
        return std::get<0>(std::move(m_content));
    }
    const Error& error() const
    {
        assert(!*this);
        return std::get<1>(m_content);
    }

private:
    std::variant<T, Error> m_content;
};

} // namespace shardscope

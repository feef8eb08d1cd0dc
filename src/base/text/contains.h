// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace sparkprof {

inline bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
inline bool Contains(std::string_view text, char c) { return text.find(c) != std::string_view::npos; }

template <typename Range, typename Value>
requires(!std::convertible_to<const Range&, std::string_view>) bool Contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

// `Texts` is any range of texts, {"a", "b"} for example.
template <typename Texts = std::initializer_list<std::string_view>>
bool ContainsAny(std::string_view text, const Texts& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return Contains(text, part); });
}

template <typename Texts = std::initializer_list<std::string_view>>
bool StartsWithAny(std::string_view text, const Texts& starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// Writes JSON in one pass. Commas and quoting are the writer's; the caller keeps objects and arrays balanced.
//   JsonWriter json;
//   json.BeginObject().Key("id").Value(3).Key("tags").BeginArray().Value("a").EndArray().EndObject();
// Strings are made valid UTF-8; numbers that JSON cannot express become null.
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);
  JsonWriter& Value(std::string_view value);
  JsonWriter& Value(const char* value) { return Value(std::string_view(value)); }
  JsonWriter& Value(bool value);
  JsonWriter& Value(double value);
  JsonWriter& Value(std::integral auto value) { return Raw(std::to_string(value)); }
  JsonWriter& Null() { return Raw("null"); }
  JsonWriter& ValueOrNull(bool is_known, const auto& value) { return is_known ? Value(value) : Null(); }
  template <typename T>
  JsonWriter& Value(const std::optional<T>& value) {
    return value ? Value(*value) : Null();
  }
  // A list as an array.
  template <std::ranges::input_range Rows>
  requires(!std::convertible_to<const Rows&, std::string_view>) JsonWriter& Value(const Rows& rows) {
    BeginArray();
    for (const auto& row : rows) Value(row);
    return EndArray();
  }
  // Pairs of a name and a value as an object.
  JsonWriter& Object(const std::ranges::input_range auto& pairs) {
    BeginObject();
    for (const auto& [name, value] : pairs) Member(name, value);
    return EndObject();
  }
  // `json` is a complete JSON value.
  JsonWriter& Raw(std::string_view json);

  template <typename T>
  JsonWriter& Member(std::string_view key, const T& value) {
    return Key(key).Value(value);
  }
  JsonWriter& MemberOrNull(std::string_view key, bool is_known, const auto& value) {
    return Key(key).ValueOrNull(is_known, value);
  }

  const std::string& Text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Separate();
  void Quote(std::string_view value);

  std::string text_;
  bool after_key_ = false;
  bool needs_comma_ = false;
};

}  // namespace sparkprof

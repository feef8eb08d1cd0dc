// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/answer_limit.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// Whether a string needs no escaping: ASCII without quotes, backslashes and control characters, as most strings are.
bool IsPlain(std::string_view value) {
  bool is_plain = true;
  // Branch-free, so that the loop is vectorized.
  for (const char c : value) is_plain &= c >= ' ' && c != '"' && c != '\\' && static_cast<unsigned char>(c) < 0x80;
  return is_plain;
}

}  // namespace

void JsonWriter::Separate() {
  CheckAnswerSize(text_.size());
  if (!after_key_ && needs_comma_) text_ += ',';
  after_key_ = false;
  needs_comma_ = true;
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  text_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view value) {
  Separate();
  Quote(value);
  return *this;
}

JsonWriter& JsonWriter::Value(bool value) { return Raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::Value(double value) {
  if (!std::isfinite(value)) return Null();
  if (value == std::floor(value) && std::abs(value) < 9e15) return Raw(fmt::format("{}", static_cast<int64_t>(value)));
  return Raw(fmt::format("{}", value));
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

void JsonWriter::Quote(std::string_view value) {
  if (IsPlain(value)) {
    text_ += '"';
    text_ += value;
    text_ += '"';
    return;
  }
  std::string clean;
  if (!IsUtf8(value)) {
    clean = ToUtf8(value);
    value = clean;
  }
  text_ += '"';
  for (const char c : value) {
    switch (c) {
      case '"':
        text_ += "\\\"";
        break;
      case '\\':
        text_ += "\\\\";
        break;
      case '\n':
        text_ += "\\n";
        break;
      case '\t':
        text_ += "\\t";
        break;
      case '\r':
        text_ += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
}

}  // namespace sparkprof

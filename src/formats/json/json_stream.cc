// SPDX-License-Identifier: Apache-2.0
#include "formats/json/json_stream.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace sparkprof {
namespace {

// Bytes that are read at once: few of a short document.
constexpr size_t kFirstStep = size_t{4} << 10, kMaxStep = size_t{256} << 10;
constexpr size_t kMaxValue = size_t{1} << 30;

bool IsJsonBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsListed(std::string_view key, const std::vector<std::string_view>& list) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

}  // namespace

// Reads more; false at the end.
bool JsonStream::Fill() {
  if (ended_) return false;
  const size_t drop = keeps_ ? kept_ : at_;
  window_.erase(0, drop);
  window_offset_ += drop;
  at_ -= drop;
  kept_ = 0;
  const size_t filled = window_.size();
  step_ = std::clamp(2 * step_, kFirstStep, kMaxStep);
  window_.resize(filled + step_);
  const Result<size_t> got = filled < kMaxValue
                                 ? source_->Read(window_.data() + filled, step_)
                                 : Fail(fmt::format("{}: offset {}: a value is longer than {} MiB",
                                                    builder_->options().name, Offset(), kMaxValue >> 20));
  window_.resize(filled + got.value_or(0));
  ended_ = !got || *got == 0;
  if (!got) error_ = got.error();
  return !ended_;
}

char JsonStream::NextToken() {
  while (!AtEnd()) {
    if (!IsJsonBlank(window_[at_])) return window_[at_];
    ++at_;
  }
  return '\0';
}

// Behind the string that starts here.
JsonStream::Outcome JsonStream::SkipString() {
  ++at_;
  while (!AtEnd()) {
    const size_t next = window_.find_first_of("\"\\", at_);
    at_ = std::min(next, window_.size());
    if (next == std::string::npos) continue;
    ++at_;
    if (window_[at_ - 1] == '"') return Outcome::kFound;
    if (AtEnd()) break;
    ++at_;
  }
  return Outcome::kEnd;
}

// Behind the value that starts here.
JsonStream::Outcome JsonStream::SkipValue() {
  size_t depth = 0;
  while (!AtEnd()) {
    const char c = window_[at_];
    if (c == '"') {
      if (SkipString() != Outcome::kFound) return Outcome::kEnd;
      if (depth == 0) return Outcome::kFound;
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',' || IsJsonBlank(c))) return Outcome::kFound;  // behind a number or a word
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if (closes && --depth == 0) return Outcome::kFound;
  }
  return Outcome::kEnd;
}

Result<void> JsonStream::Damaged(Outcome outcome) {
  is_damaged_ = true;
  if (error_) return builder_->Damaged(error_->message);
  return builder_->Damaged(fmt::format("offset {}: expected {}, found {}", Offset(), options_.format,
                                       outcome == Outcome::kEnd ? "its end" : error_message(simdjson::TAPE_ERROR)));
}

Result<void> JsonStream::TakeValue(std::string_view key, const OnValue* on_value) {
  keeps_ = on_value != nullptr;
  kept_ = at_;
  const uint64_t offset = Offset();
  const Outcome outcome = SkipValue();
  keeps_ = false;
  if (outcome != Outcome::kFound) return Damaged(outcome);
  if (offset == Offset()) return Damaged(Outcome::kInvalid);
  if (on_value == nullptr) return {};
  return (*on_value)(key, std::string_view(window_).substr(kept_, at_ - kept_), offset);
}

Result<void> JsonStream::ReadArray(std::string_view key, const OnValue& on_value, bool may_end) {
  found_.emplace_back(key);
  ++at_;
  bool is_first = true;
  for (char c = NextToken(); !is_damaged_; c = NextToken()) {
    if (c == '\0' && (error_ || !may_end)) return Damaged(Outcome::kEnd);
    if (c == '\0') return {};
    if (c == ']') {
      ++at_;
      return {};
    }
    if (!is_first) {
      if (c != ',') return Damaged(Outcome::kInvalid);
      ++at_;
      c = NextToken();
      if (c == '\0' || c == ']') continue;  // a comma behind the last element
    }
    is_first = false;
    if (Result<void> taken = TakeValue(key, &on_value); !taken) return taken;
  }
  return {};
}

Result<void> JsonStream::ReadMember(const OnValue& on_value) {
  keeps_ = true;
  kept_ = at_;
  const Outcome outcome = SkipString();
  keeps_ = false;
  if (outcome != Outcome::kFound) return Damaged(outcome);
  const std::string key = window_.substr(kept_ + 1, at_ - kept_ - 2);
  if (const char colon = NextToken(); colon != ':') return Damaged(colon == '\0' ? Outcome::kEnd : Outcome::kInvalid);
  ++at_;
  const char c = NextToken();
  if (c == '[' && IsListed(key, options_.arrays)) return ReadArray(key, on_value, false);
  return TakeValue(key, IsListed(key, options_.values) ? &on_value : nullptr);
}

Result<void> JsonStream::ReadObject(const OnValue& on_value) {
  ++at_;
  bool is_first = true;
  for (char c = NextToken(); !is_damaged_; c = NextToken()) {
    if (c == '}') {
      ++at_;
      return {};
    }
    if (!is_first && c == ',') {
      ++at_;
      c = NextToken();
    } else if (!is_first) {
      return Damaged(c == '\0' ? Outcome::kEnd : Outcome::kInvalid);
    }
    is_first = false;
    if (c != '"') return Damaged(c == '\0' ? Outcome::kEnd : Outcome::kInvalid);
    if (Result<void> read = ReadMember(on_value); !read) return read;
  }
  return {};
}

Result<void> JsonStream::Read(const OnValue& on_value) {
  const char c = NextToken();
  if (c != '[' && c != '{') return Damaged(c == '\0' ? Outcome::kEnd : Outcome::kInvalid);
  Result<void> read = c == '[' ? ReadArray({}, on_value, true) : ReadObject(on_value);
  if (!read || is_damaged_) return read;
  return NextToken() != '\0' || error_ ? Damaged(Outcome::kInvalid) : Result<void>();
}

}  // namespace sparkprof

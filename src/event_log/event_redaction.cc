// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_redaction.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

bool IsJson(const std::string& text) {
  simdjson::dom::parser parser;
  return parser.parse(text).error() == simdjson::SUCCESS;
}

// Replaces the values of well-formed JSON that have a secret, or belong to the name of one.
class ValueDropper {
 public:
  explicit ValueDropper(std::string_view json) : json_(json) {}

  std::string Run() {
    while (at_ < json_.size()) {
      const char c = json_[at_];
      if (c == '"') {
        AddString();
      } else if ((c >= '0' && c <= '9') || c == '-') {
        AddNumber();
      } else {
        Add(c);
      }
    }
    return std::move(kept_);
  }

  int64_t Dropped() const { return dropped_; }

 private:
  void Add(char c) {
    if (c == '{' || c == '[') {
      secret_.push_back(IsInSecret() || (!key_.empty() && IsSecretName(key_)));
      key_ = {};
    } else if (c == '}' || c == ']') {
      if (!secret_.empty()) secret_.pop_back();
      key_ = {};
    } else if (c == ',') {
      key_ = {};
    }
    kept_ += c;
    ++at_;
  }

  void AddString() {
    const size_t begin = at_ + 1;
    size_t end = begin;
    while (end < json_.size() && json_[end] != '"') end += json_[end] == '\\' ? 2 : 1;
    end = std::min(end, json_.size());
    const std::string_view text = json_.substr(begin, end - begin);
    at_ = std::min(end + 1, json_.size());
    const size_t next = json_.find_first_not_of(" \t\r\n", at_);
    if (next != std::string_view::npos && json_[next] == ':') {
      key_ = text;
      kept_.append(1, '"')
          .append(RedactText(text).find(kRedacted) == std::string::npos ? text : kRedacted)
          .append(1, '"');
      return;
    }
    // The string before may be the name: ["password", "X"], {"name": "password", "value": "X"}.
    const bool is_secret = (IsInSecret() && !text.empty()) || RedactSetting(key_, text) != text ||
                           (!before_.empty() && RedactSetting(before_, text) == kRedacted);
    before_ = text;
    kept_.append(1, '"').append(is_secret ? kRedacted : text).append(1, '"');
    if (is_secret && text != kRedacted) ++dropped_;
  }

  void AddNumber() {
    const size_t end = std::min(json_.find_first_not_of("0123456789+-.eE", at_), json_.size());
    const std::string_view number = json_.substr(at_, end - at_);
    at_ = end;
    if (IsInSecret() || (!key_.empty() && RedactSetting(key_, number) == kRedacted)) {
      kept_.append(1, '"').append(kRedacted).append(1, '"');
      ++dropped_;
    } else {
      kept_.append(number);
    }
  }

  bool IsInSecret() const { return !secret_.empty() && secret_.back(); }

  std::string_view json_;
  size_t at_ = 0;
  std::string kept_;
  std::vector<bool> secret_;  // of the objects and arrays around the position
  std::string_view key_;
  std::string_view before_;  // the last string that is a value
  int64_t dropped_ = 0;
};

}  // namespace

EventRedaction RedactEvent(std::string* event) {
  std::optional<std::string> redacted = RedactIfNeeded(*event);
  if (!redacted) return {};
  EventRedaction result = {.changed = true};
  if (!IsJson(*redacted) && IsJson(*event)) {
    ValueDropper dropper(*event);
    redacted = dropper.Run();
    result.dropped_values = dropper.Dropped();
  }
  *event = std::move(*redacted);
  return result;
}

std::string DroppedValuesEvent(int64_t count) {
  return fmt::format(R"({{"Event":"{}","Values":{}}})", kDroppedValuesEvent, count);
}

}  // namespace sparkprof

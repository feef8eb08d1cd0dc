// SPDX-License-Identifier: Apache-2.0
#include "model/redaction/event_redaction.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/redaction/redaction_stream.h"
#include "base/redaction/secret_search.h"
#include "base/text/json_writer.h"

namespace sparkprof {
namespace {

using redaction::Range;

constexpr size_t kMaxPlainNames = 10'000;
// {"name": "password", "value": "X"}; "Update" belongs to accumulators.
constexpr std::string_view kNameKeys[] = {"name", "key", "Name", "Key"};
constexpr std::string_view kValueKeys[] = {"value", "Value", "Update"};

template <typename Keys>
bool IsOneOf(std::string_view key, const Keys& keys) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

bool IsJson(std::string_view text) {
  simdjson::dom::parser parser;
  return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

}  // namespace

// One pass over well-formed JSON.
class EventRedactor::Walk {
 public:
  // `shown`: secrets found in the complete text, ascending; values in them are replaced.
  Walk(EventRedactor* redactor, std::string_view json, std::vector<Range> shown = {})
      : redactor_(redactor), json_(json), shown_(std::move(shown)) {
    // Makes the ends monotonic, for IsShown.
    for (size_t i = 1; i < shown_.size(); ++i) shown_[i].end = std::max(shown_[i].end, shown_[i - 1].end);
  }

  // The redacted JSON; nullopt if there is nothing to redact.
  std::optional<std::string> Run() {
    while (at_ < json_.size()) {
      const char c = json_[at_];
      if (c == '"') {
        AddString();
      } else if ((c >= '0' && c <= '9') || c == '-') {
        AddNumber();
      } else {
        if (c == '{' || c == '[') Open(c == '{');
        if (c == '}' || c == ']') Close();
        if (c == ',') key_ = {};
        ++at_;
      }
    }
    return Edited();
  }

  int64_t Dropped() const { return dropped_; }

 private:
  struct Value {
    Range place;  // position in the JSON, with quotes
    std::string text;
    bool is_text = true;
  };

  struct Container {
    bool is_object = false;
    bool is_secret = false;    // including all contents
    bool is_settings = false;  // members are settings or local properties
    size_t size = 0;           // number of values of an array
    std::string name;          // value of one of kNameKeys; the first text of an array
    std::vector<Value> named;  // values of kValueKeys; the second value of an array
    std::optional<RedactionStream> lines;
  };

  struct Edit {
    Range place;
    std::string text;
  };

  void Open(bool is_object) {
    Container container;
    container.is_object = is_object;
    if (!containers_.empty()) {
      const Container& outer = containers_.back();
      container.is_secret = outer.is_secret || (!key_.empty() && IsSecretName(key_));
      container.is_settings = outer.is_settings || key_.ends_with("Properties") || key_ == "modifiedConfigs";
      ++containers_.back().size;
    }
    key_ = {};
    containers_.push_back(std::move(container));
  }

  void Close() {
    key_ = {};
    if (containers_.empty()) return;
    const Container& closed = containers_.back();
    const bool is_pair = closed.is_object || closed.size == 2;
    if (is_pair && !closed.name.empty() && !closed.named.empty() && !redactor_->IsPlainName(closed.name)) {
      for (const Value& value : closed.named) {
        const std::string redacted = RedactSetting(closed.name, value.text);
        if (redacted != value.text) Replace(value.place, redacted, value.is_text);
      }
    }
    containers_.pop_back();
  }

  void AddString() {
    const size_t begin = at_;
    size_t end = begin + 1;
    bool is_escaped = false;
    while (end < json_.size() && json_[end] != '"') {
      is_escaped = is_escaped || json_[end] == '\\';
      end += json_[end] == '\\' ? 2 : 1;
    }
    at_ = std::min(end + 1, json_.size());
    const Range place = {begin, at_};
    std::string_view text = json_.substr(begin + 1, std::min(end, json_.size()) - begin - 1);
    if (is_escaped) text = Unescaped(place);
    const size_t next = json_.find_first_not_of(" \t\r\n", at_);
    if (next != std::string_view::npos && json_[next] == ':') {
      AddKey(place, text);
    } else {
      AddText(place, text);
    }
  }

  void AddKey(Range place, std::string_view text) {
    owned_key_.clear();
    key_ = text;
    if (text.data() == unescaped_.data()) {
      owned_key_ = text;
      key_ = owned_key_;
    }
    if (redactor_->IsPlainName(key_)) return;
    std::string redacted = redactor_->own_.Text(key_);
    if (redacted != key_) Replace(place, std::move(redacted), true);
  }

  void AddText(Range place, std::string_view text) {
    if (containers_.empty()) return;
    Container& in = containers_.back();
    ++in.size;
    if (key_ == "Event" && containers_.size() == 1) return;
    if (in.is_secret || IsShown(place)) {
      if (!text.empty() && text != kRedacted) Replace(place, std::string(kRedacted), false);
      return;
    }
    if (in.is_object ? IsOneOf(key_, kNameKeys) : in.size == 1) in.name = text;
    changed_ = text;
    bool is_changed = false;
    if (in.is_object) {
      is_changed = RedactMember(text, in.is_settings);
    } else {
      if (!in.lines) in.lines.emplace();
      if (std::optional<std::string> rest = in.lines->Add(text)) {
        changed_ = std::move(*rest);
        is_changed = true;
      }
      is_changed = redactor_->own_.RedactText(&changed_) || is_changed;
    }
    if (is_changed) Replace(place, changed_, true);
    const bool may_be_named = in.is_object ? IsOneOf(key_, kValueKeys) : in.size == 2;
    if (may_be_named && changed_ != kRedacted) in.named.push_back({place, changed_, true});
  }

  // Redacts `changed_`, the text of the member `key_`. Returns false if there was nothing to redact.
  bool RedactMember(std::string_view text, bool is_setting) {
    if (!is_setting && redactor_->IsPlainName(key_)) return redactor_->own_.RedactText(&changed_);
    changed_ = is_setting ? redactor_->own_.Setting(key_, text) : redactor_->own_.Named(key_, text);
    return changed_ != text;
  }

  void AddNumber() {
    const size_t begin = at_;
    at_ = std::min(json_.find_first_not_of("0123456789+-.eE", at_), json_.size());
    if (containers_.empty()) return;
    Container& in = containers_.back();
    ++in.size;
    const Range place = {begin, at_};
    const std::string_view number = json_.substr(begin, at_ - begin);
    const bool is_secret = in.is_secret || IsShown(place) ||
                           (!key_.empty() && !redactor_->IsPlainName(key_) && IsSecret(key_, number, in.is_settings));
    if (is_secret) {
      Replace(place, std::string(kRedacted), false);
    } else if (in.is_object ? IsOneOf(key_, kValueKeys) : in.size == 2) {
      in.named.push_back({place, std::string(number), false});
    }
  }

  bool IsSecret(std::string_view name, std::string_view number, bool is_setting) const {
    const std::string text = is_setting ? redactor_->own_.Setting(name, number) : redactor_->own_.Named(name, number);
    return text != number;
  }

  // Whether a part of the value is in one of the secrets of the complete text.
  bool IsShown(Range place) const {
    const auto behind = std::lower_bound(shown_.begin(), shown_.end(), place.end - 1,
                                         [](const Range& shown, size_t end) { return shown.begin < end; });
    return behind != shown_.begin() && std::prev(behind)->end > place.begin + 1;
  }

  // The unescaped string; valid until the next call.
  std::string_view Unescaped(Range place) {
    std::string_view text;
    const std::string_view quoted = json_.substr(place.begin, place.end - place.begin);
    if (parser_.parse(quoted.data(), quoted.size()).get_string().get(text) != simdjson::SUCCESS) {
      text = quoted.substr(1, quoted.size() - 2);
    }
    unescaped_ = text;
    return unescaped_;
  }

  void Replace(Range place, std::string text, bool is_text) {
    if (!is_text) ++dropped_;
    edits_.push_back({place, std::move(text)});
  }

  std::optional<std::string> Edited() {
    if (edits_.empty()) return std::nullopt;
    // The later of two edits of one place counts.
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.place.begin < b.place.begin; });
    std::string json;
    size_t copied = 0;
    for (size_t i = 0; i < edits_.size(); ++i) {
      const Edit& edit = edits_[i];
      if (i + 1 < edits_.size() && edits_[i + 1].place.begin == edit.place.begin) continue;
      JsonWriter text;
      text.Value(edit.text);
      json.append(json_.substr(copied, edit.place.begin - copied)).append(text.Text());
      copied = edit.place.end;
    }
    json.append(json_.substr(copied));
    return json;
  }

  EventRedactor* redactor_;
  std::string_view json_;
  std::vector<Range> shown_;
  size_t at_ = 0;
  std::vector<Container> containers_;
  std::string_view key_;  // key of the current member; empty in arrays
  std::string owned_key_;
  std::string unescaped_;
  std::string changed_;
  std::vector<Edit> edits_;
  int64_t dropped_ = 0;
  simdjson::dom::parser parser_;
};

EventRedaction EventRedactor::Redact(std::string* event) {
  EventRedaction result;
  if (!IsJson(*event)) {
    result.changed = own_.RedactText(event);
    return result;
  }
  Walk walk(this, *event);
  if (std::optional<std::string> redacted = walk.Run()) {
    *event = std::move(*redacted);
    result = {.changed = true, .dropped_values = walk.Dropped()};
  }
  std::optional<std::string> whole = RedactIfNeeded(*event);
  if (!whole || *whole == *event) return result;
  if (!IsJson(*whole)) {
    Walk again(this, *event, redaction::FindSecrets(*event));
    whole = again.Run();
    result.dropped_values += again.Dropped();
    if (!whole) return result;
  }
  *event = std::move(*whole);
  result.changed = true;
  return result;
}

// True only if no rule applies, including those that require a value resembling a key.
bool EventRedactor::IsPlainName(std::string_view name) {
  constexpr std::string_view kLooksLikeKey = "x8Kq2mVz5Rt7Yw3Nb6Lc";
  if (const auto known = plain_names_.find(name); known != plain_names_.end()) return known->second;
  const bool is_plain = own_.Named(name, kLooksLikeKey) == kLooksLikeKey && own_.Text(name) == name;
  if (plain_names_.size() < kMaxPlainNames) plain_names_.emplace(name, is_plain);
  return is_plain;
}

std::string DroppedValuesEvent(int64_t count) {
  return fmt::format(R"({{"Event":"{}","Values":{}}})", kDroppedValuesEvent, count);
}

}  // namespace sparkprof

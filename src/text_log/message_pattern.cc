// SPDX-License-Identifier: Apache-2.0
#include "text_log/message_pattern.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sparkprof {
namespace {

constexpr std::pair<std::string_view, MessageField> kFields[] = {
    {"", MessageField::kAny},
    {"task", MessageField::kTask},
    {"index", MessageField::kIndex},
    {"attempt", MessageField::kAttempt},
    {"stage", MessageField::kStage},
    {"stage_attempt", MessageField::kStageAttempt},
    {"job", MessageField::kJob},
    {"partition", MessageField::kPartition},
    {"count", MessageField::kCount},
    {"done", MessageField::kDone},
    {"bytes", MessageField::kBytes},
    {"duration", MessageField::kDuration},
    {"executor", MessageField::kExecutor},
    {"host", MessageField::kHost},
    {"locality", MessageField::kLocality},
    {"name", MessageField::kName},
    {"reason", MessageField::kReason},
    {"parents", MessageField::kParents},
};

MessageField FieldByName(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const auto& field) { return field.first == name; });
  return found == std::end(kFields) ? MessageField::kAny : found->second;
}

}  // namespace

MessagePattern::MessagePattern(std::string_view pattern) {
  while (!pattern.empty()) {
    const size_t open = pattern.find('{');
    if (open != 0) {
      parts_.push_back({.is_literal = true, .literal = pattern.substr(0, open)});
      pattern.remove_prefix(std::min(open, pattern.size()));
      continue;
    }
    const size_t close = pattern.find('}');
    std::string_view name = pattern.substr(1, close - 1);
    const bool is_number = name.ends_with('#');
    if (is_number) name.remove_suffix(1);
    parts_.push_back({.is_number = is_number, .field = FieldByName(name), .literal = {}});
    pattern.remove_prefix(close + 1);
  }
}

bool MessagePattern::Match(std::string_view message, MessageValues* values) const {
  return Take(&message, true, values) && message.find_first_not_of(' ') == std::string_view::npos;
}

size_t MessagePattern::SizeIn(std::string_view text, bool* is_open) const {
  MessageValues values;
  std::string_view rest = text;
  if (!Take(&rest, false, &values)) return std::string_view::npos;
  *is_open = !parts_.back().is_literal && !parts_.back().is_number;
  return text.size() - rest.size();
}

// Removes the wording from the start of the message; false if it has another one.
bool MessagePattern::Take(std::string_view* rest, bool is_whole, MessageValues* values) const {
  std::string_view& message = *rest;
  for (size_t part = 0; part < parts_.size(); ++part) {
    const Part& wanted = parts_[part];
    if (wanted.is_literal) {
      if (!message.starts_with(wanted.literal)) return false;
      message.remove_prefix(wanted.literal.size());
      continue;
    }
    const auto field = static_cast<size_t>(wanted.field);
    if (wanted.is_number) {
      const auto [end, error] =
          std::from_chars(message.data(), message.data() + message.size(), values->numbers[field]);
      if (error != std::errc()) return false;
      message.remove_prefix(static_cast<size_t>(end - message.data()));
      continue;
    }
    const size_t size = TextSize(part, message, is_whole);
    if (size == std::string_view::npos) return false;
    values->texts[field] = message.substr(0, size);
    message.remove_prefix(size);
  }
  return true;
}

// Up to the next literal; up to the last one of a whole message where that is the wording's end.
size_t MessagePattern::TextSize(size_t part, std::string_view message, bool is_whole) const {
  if (part + 1 == parts_.size()) return message.size();
  const std::string_view next = parts_[part + 1].literal;
  if (part + 2 < parts_.size() || !is_whole) return message.find(next);
  while (message.ends_with(' ') && !next.ends_with(' ')) message.remove_suffix(1);
  return message.ends_with(next) ? message.size() - next.size() : std::string_view::npos;
}

std::string MessagePattern::Template() const {
  std::string text;
  for (const Part& part : parts_) text += part.is_literal ? part.literal : "<*>";
  return text;
}

int64_t ParseMessageDuration(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > 1e9) return -1;
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  if (rest.starts_with(',')) {  // the decimal comma of some locales
    double fraction = 0;
    const std::string digits = "0." + std::string(rest.substr(1, rest.find(' ') - 1));
    std::from_chars(digits.data(), digits.data() + digits.size(), fraction);
    number += fraction;
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ms", 1e6},   {"s", 1e9},  {"min", 60e9},
                                                            {"h", 3600e9}, {"us", 1e3}, {"ns", 1}};
  for (const auto& [unit, factor] : kUnits) {
    if (rest == unit) return static_cast<int64_t>(number * factor);
  }
  return -1;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "model/redaction/own_redaction.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

constexpr std::string_view kSettings = "spark.redaction.regex";
constexpr std::string_view kStrings[] = {"spark.sql.redaction.string.regex", "spark.redaction.string.regex"};

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool IsExpression(std::string_view name) { return name == kSettings || name == kStrings[0] || name == kStrings[1]; }

size_t GroupEnd(std::string_view pattern, size_t at) {
  int depth = 0;
  bool is_class = false;
  for (; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == '[' || pattern[at] == ']') {
      is_class = pattern[at] == '[';
    } else if (!is_class && pattern[at] == '(') {
      ++depth;
    } else if (!is_class && pattern[at] == ')' && --depth == 0) {
      return at + 1;
    }
  }
  return pattern.size();
}

// Widens a Java expression to one that matches at least as much, without features that RE2 does not support:
// look-around, possessive quantifiers, atomic groups, back references.
std::string Widened(std::string_view pattern) {
  constexpr std::string_view kLookAround[] = {"(?=", "(?!", "(?<=", "(?<!"};
  std::string wider;
  bool is_class = false;
  for (size_t at = 0; at < pattern.size();) {
    const std::string_view rest = pattern.substr(at);
    if (rest.front() == '\\') {
      const char c = rest.size() > 1 ? rest[1] : '\\';
      if (c >= '1' && c <= '9' && !is_class) {
        wider += ".*";
      } else if (c == 'h') {
        wider += is_class ? " \\t" : "[ \\t]";
      } else if (c == 'R') {
        wider += "\\s+";
      } else if (c != 'G') {
        wider.append(c == 'Z' ? std::string_view("\\z") : rest.substr(0, 2));
      }
      at += 2;
    } else if (!is_class && std::any_of(std::begin(kLookAround), std::end(kLookAround),
                                        [&](std::string_view group) { return rest.starts_with(group); })) {
      at = GroupEnd(pattern, at);
    } else if (!is_class && rest.starts_with("(?>")) {
      wider += "(?:";
      at += 3;
    } else if (!is_class && rest.front() == '+' && at > 0 &&
               std::string_view("*+?}").find(pattern[at - 1]) != std::string_view::npos) {
      ++at;
    } else {
      if (rest.front() == '[' || rest.front() == ']') is_class = rest.front() == '[';
      wider += rest.front();
      ++at;
    }
  }
  return wider;
}

// Null for an empty expression. If RE2 does not support it, uses one that matches more, in the worst case everything: a
// secret is never kept because of its expression. If the expression matches itself, Spark has redacted it and has
// already applied it.
std::unique_ptr<RE2> Compile(std::string_view pattern) {
  if (pattern.empty() || pattern == kRedacted) return nullptr;
  for (const std::string& candidate : {std::string(pattern), Widened(pattern)}) {
    auto expression = std::make_unique<RE2>(Piece(candidate), RE2::Quiet);
    if (expression->ok()) return expression;
  }
  return std::make_unique<RE2>("(?s).+", RE2::Quiet);
}

// Null for an empty expression.
std::unique_ptr<RE2> ReadExpression(std::string_view name, std::string_view pattern, Application* application) {
  auto expression = Compile(pattern);
  if (expression != nullptr && expression->pattern() != pattern) {
    application->Warn(application->start_ns,
                      fmt::format("RE2 does not support the application's {}; more than it finds is redacted", name));
  }
  return expression;
}

// Returns false if there was nothing to redact.
bool RedactParts(const RE2* expression, std::string* text) {
  return expression != nullptr && RE2::GlobalReplace(text, *expression, Piece(kRedacted)) > 0;
}

}  // namespace

OwnRedaction::OwnRedaction() = default;
OwnRedaction::OwnRedaction(OwnRedaction&&) noexcept = default;
OwnRedaction& OwnRedaction::operator=(OwnRedaction&&) noexcept = default;
OwnRedaction::~OwnRedaction() = default;

void OwnRedaction::Read(const std::function<std::string_view(std::string_view)>& spark_property,
                        Application* application) {
  settings_ = ReadExpression(kSettings, spark_property(kSettings), application);
  strings_ = nullptr;
  for (const std::string_view name : kStrings) {
    if (strings_ == nullptr) strings_ = ReadExpression(name, spark_property(name), application);
  }
}

void OwnRedaction::Set(std::string_view settings, std::string_view strings) {
  settings_ = Compile(settings);
  strings_ = Compile(strings);
}

void OwnRedaction::ReadStrings(const Application& application) {
  std::string_view patterns[std::size(kStrings)];
  for (const auto& [group, settings] : application.environment) {
    for (const auto& [name, value] : settings) {
      for (size_t i = 0; i < std::size(kStrings); ++i) {
        if (name == kStrings[i]) patterns[i] = value;
      }
    }
  }
  strings_ = Compile(patterns[0].empty() ? patterns[1] : patterns[0]);
}

std::string OwnRedaction::Setting(std::string_view name, std::string_view value) const {
  if (value.empty() || IsExpression(name)) return std::string(value);
  if (settings_ != nullptr &&
      (RE2::PartialMatch(Piece(name), *settings_) || RE2::PartialMatch(Piece(value), *settings_))) {
    return std::string(kRedacted);
  }
  return Named(name, value);
}

std::string OwnRedaction::Named(std::string_view name, std::string_view value) const {
  std::string text = RedactSetting(name, value);
  // The rest of a text may resemble a secret.
  return RedactParts(strings_.get(), &text) ? RedactSetting(name, text) : text;
}

std::string OwnRedaction::Text(std::string_view text) const {
  std::string redacted(text);
  RedactText(&redacted);
  return redacted;
}

bool OwnRedaction::RedactText(std::string* text) const {
  const bool is_changed = RedactInPlace(text);
  return RedactParts(strings_.get(), text) || is_changed;
}

}  // namespace sparkprof

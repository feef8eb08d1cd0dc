// SPDX-License-Identifier: Apache-2.0
#include "event_log/own_redaction.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/json_value.h"
#include "base/redaction/redaction.h"
#include "model/redaction.h"

namespace sparkprof {
namespace {

constexpr std::string_view kSettings = "spark.redaction.regex";
constexpr std::string_view kStrings[] = {"spark.sql.redaction.string.regex", "spark.redaction.string.regex"};

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

bool IsExpression(std::string_view name) { return name == kSettings || name == kStrings[0] || name == kStrings[1]; }

// Null without one.
std::unique_ptr<RE2> Compile(std::string_view pattern) {
  return pattern.empty() ? nullptr : std::make_unique<RE2>(Piece(pattern), RE2::Quiet);
}

// Null without one.
std::unique_ptr<RE2> ReadExpression(const simdjson::dom::object& properties, std::string_view name,
                                    Application* application) {
  auto expression = Compile(TextAt(properties, name));
  if (expression != nullptr && !expression->ok()) {
    application->Warn(
        application->start_ns,
        fmt::format("cannot apply the application's {}: {}; text that only this expression finds is not redacted", name,
                    expression->error()));
    expression = nullptr;
  }
  return expression;
}

}  // namespace

void OwnRedaction::Read(const simdjson::dom::object& spark_properties, Application* application) {
  settings_ = ReadExpression(spark_properties, kSettings, application);
  strings_ = nullptr;
  for (const std::string_view name : kStrings) {
    if (!TextAt(spark_properties, name).empty()) {
      strings_ = ReadExpression(spark_properties, name, application);
      break;
    }
  }
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
  if (strings_ != nullptr && !strings_->ok()) strings_ = nullptr;  // reading the application reported it
}

std::string OwnRedaction::Setting(std::string_view name, std::string_view value) const {
  if (value.empty() || IsExpression(name)) return std::string(value);
  if (settings_ != nullptr &&
      (RE2::PartialMatch(Piece(name), *settings_) || RE2::PartialMatch(Piece(value), *settings_))) {
    return std::string(kRedacted);
  }
  std::string text = RedactSetting(name, value);
  RedactParts(&text);
  return text;
}

std::string OwnRedaction::Text(std::string_view text) const {
  std::string redacted = sparkprof::RedactText(text);
  RedactParts(&redacted);
  return redacted;
}

bool OwnRedaction::RedactParts(std::string* text) const {
  return strings_ != nullptr && RE2::GlobalReplace(text, *strings_, Piece(kRedacted)) > 0;
}

void OwnRedaction::RedactApplication(Application* application) const {
  if (strings_ == nullptr) return;
  ForEachText(application, [this](std::string* text) { RedactParts(text); });
}

}  // namespace sparkprof

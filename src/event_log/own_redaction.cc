// SPDX-License-Identifier: Apache-2.0
#include "event_log/own_redaction.h"

#include <fmt/format.h>

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
std::unique_ptr<RE2> ReadExpression(const simdjson::dom::object& properties, std::string_view name,
                                    Application* application) {
  const std::string_view pattern = TextAt(properties, name);
  if (pattern.empty()) return nullptr;
  auto expression = std::make_unique<RE2>(Piece(pattern), RE2::Quiet);
  if (expression->ok()) return expression;
  application->Warn(
      application->start_ns,
      fmt::format("cannot apply the application's {}: {}; text that only this expression finds is not redacted", name,
                  expression->error()));
  return nullptr;
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

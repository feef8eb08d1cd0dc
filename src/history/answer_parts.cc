// SPDX-License-Identifier: Apache-2.0
#include "history/answer_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Limits the answer's size: every stage and metric has a value per quantile.
constexpr size_t kMaxQuantiles = 100;
constexpr std::string_view kTooManyQuantiles = "too many";

}  // namespace

std::string SparkTime(int64_t epoch_ms) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max() / kNanosPerMilli;
  std::string text = FormatTimestamp(std::clamp(epoch_ms, -kMax, kMax) * kNanosPerMilli);
  text.pop_back();  // removes the Z
  return text + "GMT";
}

std::vector<std::string> ValuesOf(HistoryParameters parameters, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::string ValueOr(HistoryParameters parameters, std::string_view name, std::string_view fallback) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::string(fallback);
}

bool BooleanOr(HistoryParameters parameters, std::string_view name, bool fallback) {
  return ToLowerAscii(ValueOr(parameters, name, fallback ? "true" : "false")) == "true";
}

std::optional<int64_t> IntegerOr(HistoryParameters parameters, std::string_view name, int64_t fallback) {
  const std::optional<int64_t> number = ParseInteger(ValueOr(parameters, name, std::to_string(fallback)));
  if (!number || *number < std::numeric_limits<int32_t>::min() || *number > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return number;
}

HistoryAnswer JsonAnswer(JsonWriter* json) { return {200, json->Take()}; }

HistoryAnswer NotFound(std::string text) { return {404, std::move(text)}; }

HistoryAnswer NoSuchPath() { return {404, "not found"}; }

HistoryAnswer BadQuantile(std::string_view value) {
  if (value == kTooManyQuantiles) {
    return {400, fmt::format("Bad value for parameter \"quantiles\".  Expected at most {} values", kMaxQuantiles)};
  }
  return {400, fmt::format("Bad value for parameter \"quantiles\".  Expected a double, got \"{}\"", value)};
}

ParsedQuantiles ParseQuantiles(std::string_view text) {
  ParsedQuantiles quantiles;
  // Java's split drops trailing empty parts.
  while (text.ends_with(',')) text.remove_suffix(1);
  for (const std::string_view part : Split(text, ',')) {
    const std::string_view number = Trim(part);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) {
      quantiles.wrong = std::string(part);
      return quantiles;
    }
    quantiles.values.push_back(value);
    if (quantiles.values.size() > kMaxQuantiles) {
      quantiles.wrong = kTooManyQuantiles;
      return quantiles;
    }
  }
  std::sort(quantiles.values.begin(), quantiles.values.end());
  return quantiles;
}

void WriteReal(double number, JsonWriter* json) {
  constexpr double kAllDigits = 1e15;
  if (std::isnan(number)) {
    json->Value("NaN");
  } else if (number == std::floor(number) && std::abs(number) < kAllDigits) {
    json->Raw(fmt::format("{:.1f}", number));
  } else {
    json->Value(number);
  }
}

void WriteReals(std::string_view key, const std::vector<double>& numbers, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const double number : numbers) WriteReal(number, json);
  json->EndArray();
}

void WriteTime(std::string_view key, std::optional<int64_t> epoch_ms, JsonWriter* json) {
  if (epoch_ms) json->Member(key, SparkTime(*epoch_ms));
}

void WriteText(std::string_view key, const std::optional<std::string>& text, JsonWriter* json) {
  if (text) json->Member(key, *text);
}

void WritePeaks(std::string_view key, const ExecutorPeaks& peaks, JsonWriter* json) {
  if (!peaks.is_set) return;
  json->Key(key).BeginObject();
  for (size_t metric = 0; metric < kExecutorMetricCount; ++metric)
    json->Member(kExecutorMetricNames[metric], peaks.values[metric]);
  json->EndObject();
}

void WriteAccumulables(const std::vector<Accumulable>* accumulables, const StringTable& strings, JsonWriter* json) {
  json->Key("accumulatorUpdates").BeginArray();
  if (accumulables != nullptr) {
    for (const Accumulable& one : *accumulables) {
      json->BeginObject().Member("id", one.id);
      if (one.name) json->Member("name", strings.Get(*one.name));
      if (one.update) json->Member("update", strings.Get(*one.update));
      if (one.value) json->Member("value", strings.Get(*one.value));
      json->EndObject();
    }
  }
  json->EndArray();
}

}  // namespace sparkprof

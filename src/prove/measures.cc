// SPDX-License-Identifier: Apache-2.0
#include "prove/measures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/costs/costs.h"
#include "analysis/owners/resources.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kSecondsPerHour = 3600;

struct MeasureTexts {
  std::string_view title;
  std::string_view member;  // name in the JSON's "measures", with the unit
  double of_member = 1;     // one unit of the measure in the member's unit
  bool is_whole = true;
  double least = PairedRuns::kLeastSeconds;
};

constexpr double kLeastHours = PairedRuns::kLeastSeconds / kSecondsPerHour;
constexpr double kLeastCost = 1e-9;
constexpr MeasureTexts kTexts[kProofMeasureCount] = {
    {"Time", "timeMs", 1000},
    {"CPU time", "cpuMs", 1000},
    {"Peak memory", "peakBytes"},
    {"Core-hours", "coreHours", 1, false, kLeastHours},
    {"GB-hours", "gbHours", 1, false, kLeastHours},
    {"Cost", "cost", 1, false, kLeastCost},
};

const MeasureTexts& TextsOf(ProofMeasure measure) { return kTexts[static_cast<size_t>(measure)]; }

std::vector<std::string_view> TitlesOfWorse(const std::vector<MeasureEffect>& effects) {
  std::vector<std::string_view> worse;
  for (const MeasureEffect& effect : effects) {
    if (effect.decision == RunsDecision::kSlower) worse.push_back(TextsOf(effect.measure).title);
  }
  return worse;
}

void WriteNumber(std::string_view key, double value, const MeasureTexts& texts, JsonWriter* json) {
  json->Key(key);
  const double number = value * texts.of_member;
  if (texts.is_whole && std::isfinite(number)) {
    json->Value(static_cast<int64_t>(std::llround(number)));
  } else {
    json->Value(number);  // null if infinite
  }
}

}  // namespace

void SetHeld(const Application& application, const std::optional<PriceList>& prices, RunMeasures* measures) {
  const Resources held = ResourcesOf(application);
  if (held.core_hours > 0) measures->Set(ProofMeasure::kCoreHours, held.core_hours);
  if (held.gb_hours > 0) measures->Set(ProofMeasure::kGbHours, held.gb_hours);
  if (!prices) return;
  if (const auto cost = prices->KnownCost(held.core_hours, held.gb_hours)) measures->Set(ProofMeasure::kCost, *cost);
}

RunMeasures MeasuresOfRun(const RepeatResult& run, const Application* application,
                          const std::optional<PriceList>& prices) {
  RunMeasures measures;
  measures.Set(ProofMeasure::kTime, run.seconds);
  measures.Set(ProofMeasure::kCpu, run.cpu_seconds);
  if (run.max_rss_bytes > 0) measures.Set(ProofMeasure::kPeakMemory, static_cast<double>(run.max_rss_bytes));
  if (application != nullptr) SetHeld(*application, prices, &measures);
  return measures;
}

PairedMeasures::PairedMeasures() {
  for (const MeasureTexts& texts : kTexts) tests_.emplace_back(texts.least);
}

void PairedMeasures::Add(const RunMeasures& before, const RunMeasures& after) {
  ++pairs_;
  for (size_t i = 0; i < kProofMeasureCount; ++i) {
    const auto measure = static_cast<ProofMeasure>(i);
    const double old_value = before.Get(measure), new_value = after.Get(measure);
    if (!std::isnan(old_value) && !std::isnan(new_value)) tests_[i].Add(old_value, new_value);
  }
}

std::vector<MeasureEffect> PairedMeasures::Effects() const {
  std::vector<MeasureEffect> effects;
  for (size_t i = 0; i < kProofMeasureCount; ++i) {
    const PairedRuns& test = tests_[i];
    if (pairs_ == 0 || test.Pairs() < pairs_) continue;
    effects.push_back(
        {static_cast<ProofMeasure>(i), test.MedianBefore(), test.Estimate(), test.Probability(), test.Decided()});
  }
  return effects;
}

const MeasureEffect* FindEffect(ProofMeasure measure, const std::vector<MeasureEffect>& effects) {
  const auto found =
      std::find_if(effects.begin(), effects.end(), [&](const MeasureEffect& one) { return one.measure == measure; });
  return found == effects.end() ? nullptr : &*found;
}

std::string_view TitleOf(ProofMeasure measure) { return TextsOf(measure).title; }

std::string MeasureValueText(ProofMeasure measure, double value, std::string_view currency) {
  switch (measure) {
    case ProofMeasure::kTime:
    case ProofMeasure::kCpu:
      return fmt::format("{:.1f} s", value);
    case ProofMeasure::kPeakMemory:
      return FormatBytes(static_cast<int64_t>(value));
    case ProofMeasure::kCoreHours:
    case ProofMeasure::kGbHours:
      return fmt::format("{:.3g} {}", value, TextsOf(measure).title);
    case ProofMeasure::kCost:
      return CostText(value, std::string(currency));
  }
  return "";
}

std::string PercentText(double change) {
  if (std::isinf(change)) return "unlimited";
  const double percent = 100 * change;
  return fmt::format("{:+.{}f}%", percent, std::abs(percent) < 9.5 ? 1 : 0);
}

std::string MeasureLines(const std::vector<MeasureEffect>& effects, ProofMeasure decisive, std::string_view currency) {
  std::string text;
  if (const auto worse = TitlesOfWorse(effects); !worse.empty())
    text += fmt::format("{:<12} {}\n", "Got worse", fmt::join(worse, ", "));
  for (const MeasureEffect& effect : effects) {
    if (effect.measure == decisive) continue;
    text += fmt::format("{:<12} {}", TextsOf(effect.measure).title, PercentText(effect.effect.median));
    if (std::isfinite(effect.effect.high))
      text += fmt::format(" (95%: {} to {})", PercentText(effect.effect.low), PercentText(effect.effect.high));
    text += fmt::format(" of {}\n", MeasureValueText(effect.measure, effect.before, currency));
  }
  return text;
}

void WriteChange(const MeasureEffect& effect, JsonWriter* json) {
  const MeasureTexts& texts = TextsOf(effect.measure);
  const RunsEffect& change = effect.effect;
  json->BeginObject();
  WriteNumber("median", change.median * effect.before, texts, json);
  WriteNumber("low", change.low <= -1 ? -std::numeric_limits<double>::infinity() : change.low * effect.before, texts,
              json);
  WriteNumber("high", change.high * effect.before, texts, json);
  json->EndObject();
}

void WriteMeasures(const std::vector<MeasureEffect>& effects, std::string_view currency, JsonWriter* json) {
  json->Key("measures").BeginObject();
  for (const MeasureEffect& effect : effects) {
    json->Key(TextsOf(effect.measure).member).BeginObject();
    WriteNumber("before", effect.before, TextsOf(effect.measure), json);
    json->Key("delta");
    WriteChange(effect, json);
    json->Member("p", effect.probability);
    if (effect.measure == ProofMeasure::kCost) json->Member("currency", currency);
    json->EndObject();
  }
  json->EndObject().Key("worse").BeginArray();
  for (const MeasureEffect& effect : effects) {
    if (effect.decision == RunsDecision::kSlower) json->Value(TextsOf(effect.measure).member);
  }
  json->EndArray();
}

}  // namespace sparkprof

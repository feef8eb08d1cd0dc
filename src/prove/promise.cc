// SPDX-License-Identifier: Apache-2.0
#include "prove/promise.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

std::string PromiseText(const ProofPromise& promise) {
  if (promise.measure == ProofMeasure::kTime) {
    return FormatDurationRange(static_cast<int64_t>(promise.low * kNanosPerSecond),
                               static_cast<int64_t>(promise.high * kNanosPerSecond));
  }
  if (promise.low == promise.high) return MeasureValueText(promise.measure, promise.low, "");
  return fmt::format("{:.3g}–{}", promise.low, MeasureValueText(promise.measure, promise.high, ""));
}

}  // namespace

std::string_view NameOf(PromiseOutcome outcome) {
  switch (outcome) {
    case PromiseOutcome::kKept:
      return "kept";
    case PromiseOutcome::kExceeded:
      return "exceeded";
    case PromiseOutcome::kMissed:
      return "missed";
    case PromiseOutcome::kOpen:
      break;
  }
  return "open";
}

PromiseOutcome OutcomeOf(const ProofPromise& promise, const std::vector<MeasureEffect>& effects) {
  const MeasureEffect* const effect = FindEffect(promise.measure, effects);
  if (effect == nullptr || !std::isfinite(effect->effect.high)) return PromiseOutcome::kOpen;
  const double least = -effect->effect.high * effect->before, most = -effect->effect.low * effect->before;
  if (least > promise.high) return PromiseOutcome::kExceeded;
  return most < promise.low ? PromiseOutcome::kMissed : PromiseOutcome::kKept;
}

std::string PromiseLine(const ProofPromise& promise, const std::vector<MeasureEffect>& effects) {
  std::string line = fmt::format("{:<12} {}", "Promised", PromiseText(promise));
  if (const MeasureEffect* const effect = FindEffect(promise.measure, effects); effect != nullptr) {
    const auto text = [&](double change) { return MeasureValueText(promise.measure, -change * effect->before, ""); };
    line += ", gained " + text(effect->effect.median);
    const PromiseOutcome outcome = OutcomeOf(promise, effects);
    if (outcome != PromiseOutcome::kOpen) {
      line += fmt::format(" (95%: {} to {}): {}", text(effect->effect.high), text(effect->effect.low), NameOf(outcome));
    }
  }
  return line + "\n";
}

void WritePromise(const std::optional<ProofPromise>& promise, const std::vector<MeasureEffect>& effects,
                  JsonWriter* json) {
  const auto range = [&](std::string_view key, ProofMeasure measure) {
    json->Key(key);
    if (!promise || promise->measure != measure) {
      json->Null();
    } else if (measure == ProofMeasure::kTime) {
      json->BeginObject()
          .Member("low", static_cast<int64_t>(std::llround(-promise->high * 1000)))
          .Member("high", static_cast<int64_t>(std::llround(-promise->low * 1000)))
          .EndObject();
    } else {
      json->BeginObject().Member("low", -promise->high).Member("high", -promise->low).EndObject();
    }
  };
  range("promisedMs", ProofMeasure::kTime);
  range("promisedGbHours", ProofMeasure::kGbHours);
  json->Key("promise");
  promise ? json->Value(NameOf(OutcomeOf(*promise, effects))) : json->Null();
}

}  // namespace sparkprof

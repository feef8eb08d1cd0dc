// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_writer.h"
#include "prove/measures.h"

namespace sparkprof {

// A promised saving, as a range: seconds for kTime, otherwise GB-hours.
struct ProofPromise {
  ProofMeasure measure = ProofMeasure::kTime;
  double low = 0, high = 0;
};

// Compares the gain with the promise: kKept if the ranges overlap, kOpen without an interval.
enum class PromiseOutcome { kOpen, kKept, kExceeded, kMissed };
std::string_view NameOf(PromiseOutcome outcome);  // "open", "kept", "exceeded", "missed"

// kOpen if `effects` lacks the measure of the promise.
PromiseOutcome OutcomeOf(const ProofPromise& promise, const std::vector<MeasureEffect>& effects);

// "Promised     3.1–4.2 s, gained 3.8 s (95%: 3.1 s to 4.4 s): kept"
std::string PromiseLine(const ProofPromise& promise, const std::vector<MeasureEffect>& effects);

// Writes the members "promisedMs", "promisedGbHours" and "promise" into an open object. Both ranges are after minus
// before, like the gains.
void WritePromise(const std::optional<ProofPromise>& promise, const std::vector<MeasureEffect>& effects,
                  JsonWriter* json);

}  // namespace sparkprof

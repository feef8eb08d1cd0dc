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

// The saving that a finding promises, low and high end, of one measure: seconds of kTime, or kGbHours.
struct ProofPromise {
  ProofMeasure measure = ProofMeasure::kTime;
  double low = 0, high = 0;
};

// How what was gained compares with what was promised: the ranges overlap, or one of them is larger. kOpen without an
// interval.
enum class PromiseOutcome { kOpen, kKept, kExceeded, kMissed };
std::string_view NameOf(PromiseOutcome outcome);  // "open", "kept", "exceeded", "missed"

// `effects`: of the proof; without the measure of the promise, the outcome is open.
PromiseOutcome OutcomeOf(const ProofPromise& promise, const std::vector<MeasureEffect>& effects);

// "Promised     3.1–4.2 s, gained 3.8 s (95%: 3.1 s to 4.4 s): kept"
std::string PromiseLine(const ProofPromise& promise, const std::vector<MeasureEffect>& effects);

// Writes the members "promisedMs", "promisedGbHours" and "promise" into an open object. The first two are after minus
// before, as the gains are.
void WritePromise(const std::optional<ProofPromise>& promise, const std::vector<MeasureEffect>& effects,
                  JsonWriter* json);

}  // namespace sparkprof

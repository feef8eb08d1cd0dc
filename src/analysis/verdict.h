// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/answers.h"
#include "model/application.h"

namespace sparkprof {

// The one-line answer that everything with answers prints: the failure, if any; else the duration and the largest part
// of the wall-clock time, then the first finding and its saving, or that no problem is known. "33.3 s, 82.1% of it in
// stage 3.0. Stage 3: straggler computes 12.0 s; could save 8.0–11 s." Answer derives it from the other answers.
std::string VerdictOf(const Application& application, const Answers& answers);

// Formats "3.1–5.8 s", "up to 5.8 s"; empty if the saving is unknown.
std::string SavedTime(const Finding& finding);
// Formats "could save 3.1–5.8 s"; empty if the saving is unknown.
std::string SavingRange(const Finding& finding);

}  // namespace sparkprof

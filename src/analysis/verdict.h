// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/answers.h"
#include "model/application.h"

namespace sparkprof {

// The answer in one or two sentences: the duration and the place with most of it, then the first finding and its
// saving, or that none was found and what was not checked. "33.3 s, 82.1% of it in stage 3. Stage 3.0: one task takes
// 80% of the time; could save 12–20 s."
std::string VerdictOf(const Application& application, const Answers& answers);

// "3.1–5.8 s", "up to 5.8 s"; empty if the saving is unknown.
std::string SavedTime(const Finding& finding);
// "could save 3.1–5.8 s"; empty if the saving is unknown.
std::string SavingRange(const Finding& finding);

}  // namespace sparkprof

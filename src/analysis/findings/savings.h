// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Cuts the range of a saving to the time of its evidence, most_ns.
void BoundSaving(Finding* finding);

// Sets the expected saving, and the severity of findings that are no failures by it: the likely saving times the
// confidence.
void SetExpectedSaving(int64_t duration_ns, Finding* finding);

// Marks findings, in their order, that save time which a more important one saves, too. The others' savings add up to
// at most the application's duration.
void MarkOverlaps(std::vector<Finding>* findings);

}  // namespace sparkprof

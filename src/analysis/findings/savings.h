// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/account/claim_replay.h"
#include "analysis/findings/finding.h"

namespace sparkprof {

// Sets what the claims of findings save, and what follows from it: their share of the duration, their confidence, and
// the severity of findings that are no failures. The claims that can be the largest are replayed; where the run has
// too many tasks to replay all, the others are estimated.
void SetSavings(const FindingInput& input, ClaimReplay* replay, std::vector<Finding>* findings);

// Marks findings, in their order, that claim what a more important one claims, too: they are alternatives. The
// others' savings add up to at most the application's duration.
void MarkOverlaps(const FindingInput& input, const ClaimReplay& replay, std::vector<Finding>* findings);

}  // namespace sparkprof

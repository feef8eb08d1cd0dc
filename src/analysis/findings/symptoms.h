// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/account/claim_replay.h"
#include "analysis/findings/finding.h"

namespace sparkprof {

// Cause before symptom: a finding that another one explains leaves the list, and its title becomes a part of the
// cause's evidence. A finding explains another one of a lower level (RuleLevel) if it claims most of that one's time.
// Garbage collection, spills and waits of tasks that have most of the data are skew.
class Symptoms {
 public:
  // `replay` must outlive it.
  explicit Symptoms(const ClaimReplay& replay) : replay_(replay) {}

  void Fold(std::vector<Finding>* findings) const;

 private:
  bool Explains(const Finding& cause, const Finding& symptom) const;

  const ClaimReplay& replay_;
};

}  // namespace sparkprof

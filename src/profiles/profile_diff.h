// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/samples/profile.h"
#include "profiles/frame_weights.h"

namespace sparkprof {

// Combines two profiles: event 0 is "before", event 1 "after". Both have_counts if counts on both sides are samples.
// Both should have the same transform. With `normalize`, weights of the first are scaled to equal totals, like
// difffolded.pl -n; counts are unchanged.
Profile PutTogether(const Profile& before, EventId before_event, const Profile& after, EventId after_event,
                    bool normalize);

struct FrameChange {
  std::string label;
  FrameWeight weight;      // base_self and base_total are the weights before
  double change = 0;       // change of the total weight, relative to the profile's total before
  double self_change = 0;  // change of the self weight, relative to the profile's total before
  double confidence = 0;   // 0 … 1: confidence that the change of the total is not caused by sampling
};

struct ProfileDiff {
  StackWeight before, after;         // totals of the profiles
  bool counts_samples = true;        // on both sides; otherwise every confidence is unknown and 0
  std::vector<FrameChange> changes;  // sorted by size of the change, gained or lost
};

// `normalized` as in PutTogether. The confidence is that of a two-sided test on sample counts: of two shares if
// normalized, else of two counts.
ProfileDiff Compare(const Profile& together, bool normalized);

}  // namespace sparkprof

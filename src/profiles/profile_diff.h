// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profiles/frame_weights.h"

namespace sparkprof {

// Combines two profiles: event 0 is "before", event 1 "after". Both have_counts if counts of both sides are samples.
// Both should have the same transform. With `normalize`, weights of the first are scaled so that both totals are equal,
// like difffolded.pl -n; counts are unchanged.
Profile PutTogether(const Profile& before, EventId before_event, const Profile& after, EventId after_event,
                    bool normalize);

// The change of a frame's weight over all stacks.
struct FrameChange {
  std::string label;
  FrameWeight weight;      // base_self and base_total are those before
  double change = 0;       // of its total weight, relative to the total before
  double self_change = 0;  // of its self weight, likewise
  double confidence = 0;   // 0 … 1: that the change of the total is not due to sampling
};

struct ProfileDiff {
  StackWeight before, after;         // of everything
  bool counts_samples = true;        // on both sides; without counts of samples every confidence is unknown, and 0
  std::vector<FrameChange> changes;  // the largest change first, whether gained or lost
};

// `normalized` as in PutTogether. The confidence is that of a two-sided test on the sample counts: of two shares if
// normalized, else of two counts.
ProfileDiff Compare(const Profile& together, bool normalized);

}  // namespace sparkprof

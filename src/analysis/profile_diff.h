// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/frame_weights.h"
#include "model/profile.h"

namespace sparkprof {

// Two profiles in one: event 0 is "before", event 1 "after". Both should have been transformed alike. With `normalize`,
// weights of the first are scaled so that both totals agree, which difffolded.pl -n does, too; counts stay.
Profile PutTogether(const Profile& before, EventId before_event, const Profile& after, EventId after_event,
                    bool normalize);

// How a frame's weight changed, wherever it stands.
struct FrameChange {
  std::string label;
  FrameWeight weight;      // base_self and base_total are those before
  double change = 0;       // of its total, as a share of the whole before
  double self_change = 0;  // of its own weight, likewise
  double confidence = 0;   // 0 … 1: that the change of the total is no accident of sampling
};

struct ProfileDiff {
  StackWeight before, after;         // of everything
  std::vector<FrameChange> changes;  // the largest change first, whether gained or lost
};

// `normalized` says what PutTogether did. The confidence is that of a two-sided test on the numbers of samples: of two
// shares when normalised, of two counts when not.
ProfileDiff Compare(const Profile& together, bool normalized);

}  // namespace sparkprof

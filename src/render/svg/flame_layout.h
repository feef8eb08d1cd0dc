// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/samples/profile.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

// A frame of a flame graph. Positions are weights.
struct FlameRect {
  StackId stack = 0;
  uint32_t depth = 0;  // 0 = root
  int64_t start = 0;   // weight to its left
  int64_t width = 0;
  int64_t count = 0;   // samples
  int64_t change = 0;  // self weight minus that of the base event; 0 without one
};

struct FlameLayout {
  std::vector<FlameRect> rects;  // callers before callees
  uint32_t deepest = 0;
  int64_t largest_change = 1;
  uint64_t left_out = 0;
  bool is_cut = false;  // whether frames deeper than `max_depth` were omitted
};

// Positions of frames as in flamegraph.pl, which sorts collapsed lines as text and draws them from left to right. The
// self weight of a frame thus precedes its callees, siblings are sorted by "name;" (by "name " for self weight), and a
// frame whose self weight is separated from its callees by a sibling ("read", "read1", "read;x") is drawn twice. Omits
// frames with a weight below `least` and those deeper than `max_depth` (0 = unlimited). `tree` may be built with the
// same `least`.
FlameLayout LayOutFlame(const Profile& profile, const StackTree& tree, double least, int64_t max_depth = 0);

// flamegraph.pl's --flamechart: samples of `event` from left to right by time, or in the profile's order if they have
// no time. Merges common frames of neighbors. The profile must be in_order.
FlameLayout LayOutFlameChart(const Profile& profile, EventId event, double least, int64_t max_depth = 0);

}  // namespace sparkprof

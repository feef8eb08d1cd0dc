// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

// A frame of a flame graph, in weights.
struct FlameRect {
  StackId stack = 0;
  uint32_t depth = 0;  // 0 = root
  int64_t start = 0;   // weight to its left
  int64_t width = 0;
  int64_t count = 0;   // samples
  int64_t change = 0;  // own weight - own weight of the base event; 0 without one
};

struct FlameLayout {
  std::vector<FlameRect> rects;  // callers before callees
  uint32_t deepest = 0;
  int64_t largest_change = 1;
  uint64_t left_out = 0;  // omitted frames
  bool is_cut = false;    // some of them are deeper than `max_depth`
};

// Positions of frames as in flamegraph.pl, which sorts collapsed lines as text and draws them from left to right. So
// the self weight of a frame precedes its callees, siblings are sorted by "name;" (by "name " for self weight), and a
// frame whose self weight is separated from its callees by a sibling ("read", "read1", "read;x") is drawn twice. Frames
// with a weight below `least` and those deeper than `max_depth` (0 = any depth) are omitted; `tree` may be built with
// the limit of weights.
FlameLayout LayOutFlame(const Profile& profile, const StackTree& tree, double least, int64_t max_depth = 0);

// flamegraph.pl's --flamechart: the samples of `event` from left to right by time, in the profile's order where they
// have none; what neighbors have in common is one frame. For a profile that is in_order.
FlameLayout LayOutFlameChart(const Profile& profile, EventId event, double least, int64_t max_depth = 0);

}  // namespace sparkprof

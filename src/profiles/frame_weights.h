// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/profile.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

struct FrameWeight {
  FrameId frame = 0;
  StackWeight self;
  StackWeight total;                  // sum over stacks with the frame, each counted once
  StackWeight base_self, base_total;  // weights in the tree's base event; 0 without one
};

// One per frame of the tree, in the order of the frame table.
std::vector<FrameWeight> WeighFrames(const Profile& profile, const StackTree& tree);

}  // namespace sparkprof

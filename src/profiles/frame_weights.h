// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/profile.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

// The weight of a frame over all stacks.
struct FrameWeight {
  FrameId frame = 0;
  StackWeight self;
  StackWeight total;                  // of stacks that have it, each once
  StackWeight base_self, base_total;  // the same of the tree's base event; 0 without one
};

// One for each frame of the tree, in the order of the frame table.
std::vector<FrameWeight> WeighFrames(const Profile& profile, const StackTree& tree);

}  // namespace sparkprof

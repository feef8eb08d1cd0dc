// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"

namespace sparkprof {

// One event of a profile as a tree of calls: the profile's stack table with weights, and with children in the order of
// their labels. Where a profile was transformed without lines, a node is what a flame graph shows.
struct StackTree {
  std::vector<std::string> labels;                 // by FrameId
  std::vector<StackWeight> self;                   // by StackId
  std::vector<StackWeight> total;                  // self and everything below
  std::vector<StackWeight> base_self, base_total;  // the same of the event that is compared with; empty without one
  std::vector<uint32_t> first_child;  // by StackId: where its children begin in `children`; one more at the end
  std::vector<StackId> children;      // those with a total (of either event), in order

  const StackWeight& Root() const { return total[0]; }
};

StackTree BuildStackTree(const Profile& profile, uint32_t event, std::optional<uint32_t> base_event = std::nullopt);

// Calls `enter(stack, depth)` for each node in preorder, children in order; depth of the root is 0.
template <typename Enter>
void VisitPreorder(const StackTree& tree, Enter&& enter) {
  struct Pending {
    StackId stack;
    uint32_t depth;
  };
  std::vector<Pending> pending{{0, 0}};
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    enter(next.stack, next.depth);
    for (uint32_t i = tree.first_child[next.stack + 1]; i > tree.first_child[next.stack]; --i) {
      pending.push_back({tree.children[i - 1], next.depth + 1});
    }
  }
}

}  // namespace sparkprof

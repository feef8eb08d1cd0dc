// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/samples/profile.h"

namespace sparkprof {

// The used stacks of a profile as a tree, with children sorted by label. If the profile was transformed without lines,
// each node is a frame of a flame graph.
struct StackOrder {
  std::vector<std::string> labels;    // by FrameId
  std::vector<uint32_t> first_child;  // by StackId: start of its children in `children`; with a final end entry
  std::vector<StackId> children;      // used stacks, grouped by parent
};

// Stacks with samples of `event`, and their callers.
StackOrder OrderStacks(const Profile& profile, EventId event);

// Like WeighStacks, without memory for unsampled stacks.
class OwnWeights {
 public:
  OwnWeights() = default;
  OwnWeights(const Profile& profile, EventId event);

  const StackWeight& operator[](StackId id) const { return weights_[rows_[id]]; }
  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }

 private:
  std::vector<uint32_t> rows_;  // by StackId: index in weights_
  std::vector<StackWeight> weights_{1};
};

// One event of a profile as a call tree: its stacks with weights.
struct StackTree : StackOrder {    // stacks with a total in either event
  size_t used = 0;                 // number of stacks with a total, without the root
  OwnWeights self;                 // by StackId
  std::vector<StackWeight> total;  // self weight plus that of all callees
  OwnWeights base_self;            // self weights of the base event; empty without one
  std::vector<StackWeight> base_total;

  const StackWeight& Root() const { return total[0]; }
};

// Omits callees of stacks narrower than `least`, which no picture has room for.
StackTree BuildStackTree(const Profile& profile, EventId event, std::optional<EventId> base_event = std::nullopt,
                         double least = 0);

// Calls `enter(stack, depth)` for each node in preorder, children in order; depth of the root is 0.
template <typename Enter>
void VisitPreorder(const StackOrder& tree, Enter&& enter) {
  struct Pending {
    StackId stack;
    uint32_t depth;
  };
  std::vector<Pending> pending;
  Pending next{0, 0};
  for (;;) {
    enter(next.stack, next.depth);
    const uint32_t begin = tree.first_child[next.stack], end = tree.first_child[next.stack + 1];
    for (uint32_t i = end; i > begin + 1; --i) pending.push_back({tree.children[i - 1], next.depth + 1});
    if (begin < end) {
      next = {tree.children[begin], next.depth + 1};
    } else if (!pending.empty()) {
      next = pending.back();
      pending.pop_back();
    } else {
      return;
    }
  }
}

}  // namespace sparkprof

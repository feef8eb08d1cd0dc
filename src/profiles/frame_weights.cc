// SPDX-License-Identifier: Apache-2.0
#include "profiles/frame_weights.h"

#include "base/saturate.h"

namespace sparkprof {
namespace {

void AddFrameWeight(const StackWeight& weight, StackWeight* sum) {
  AddSaturated(weight.weight, &sum->weight);
  AddSaturated(weight.count, &sum->count);
}

}  // namespace

std::vector<FrameWeight> WeighFrames(const Profile& profile, const StackTree& tree) {
  std::vector<FrameWeight> weights(profile.frames.Size());
  std::vector<bool> is_used(weights.size());
  std::vector<uint32_t> times_in_path(weights.size());
  std::vector<FrameId> path;  // without the root; as long as the depth of the parent node
  const bool has_base = !tree.base_self.empty();
  VisitPreorder(tree, [&](StackId stack, uint32_t depth) {
    if (depth == 0) return;
    while (path.size() >= depth) {
      --times_in_path[path.back()];
      path.pop_back();
    }
    const FrameId frame = profile.stacks.Get(stack).frame;
    path.push_back(frame);
    is_used[frame] = true;
    const bool is_first = times_in_path[frame]++ == 0;
    FrameWeight& weight = weights[frame];
    AddFrameWeight(tree.self[stack], &weight.self);
    if (is_first) AddFrameWeight(tree.total[stack], &weight.total);
    if (has_base) {
      AddFrameWeight(tree.base_self[stack], &weight.base_self);
      if (is_first) AddFrameWeight(tree.base_total[stack], &weight.base_total);
    }
  });
  std::vector<FrameWeight> used;
  for (FrameId frame = 1; frame < weights.size(); ++frame) {
    if (!is_used[frame]) continue;
    weights[frame].frame = frame;
    used.push_back(weights[frame]);
  }
  return used;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/stack_tree.h"

#include <algorithm>
#include <numeric>

#include "base/saturate.h"

namespace sparkprof {
namespace {

// The place of each frame's label among all labels.
std::vector<uint32_t> RanksOf(const std::vector<std::string>& labels) {
  std::vector<FrameId> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](FrameId a, FrameId b) { return labels[a] < labels[b]; });
  std::vector<uint32_t> ranks(labels.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

bool IsUsed(const StackWeight& weight) { return weight.weight != 0 || weight.count != 0; }

std::vector<StackWeight> AddUp(const StackTable& stacks, std::vector<StackWeight> weights) {
  for (size_t id = weights.size() - 1; id > 0; --id) {
    StackWeight& parent = weights[stacks.Get(static_cast<StackId>(id)).parent];
    AddSaturated(weights[id].weight, &parent.weight);
    AddSaturated(weights[id].count, &parent.count);
  }
  return weights;
}

}  // namespace

StackTree BuildStackTree(const Profile& profile, uint32_t event, std::optional<uint32_t> base_event) {
  const StackTable& stacks = profile.stacks;
  StackTree tree;
  tree.labels.resize(profile.frames.Size());
  for (FrameId id = 1; id < tree.labels.size(); ++id) {
    tree.labels[id] = FrameLabel(profile.strings, profile.frames.Get(id));
  }
  tree.self = WeighStacks(profile, event);
  tree.total = AddUp(stacks, tree.self);
  if (base_event) {
    tree.base_self = WeighStacks(profile, *base_event);
    tree.base_total = AddUp(stacks, tree.base_self);
  }
  const auto is_used = [&](size_t id) { return IsUsed(tree.total[id]) || (base_event && IsUsed(tree.base_total[id])); };
  tree.first_child.assign(stacks.Size() + 1, 0);
  for (StackId id = 1; id < stacks.Size(); ++id) {
    if (is_used(id)) ++tree.first_child[stacks.Get(id).parent + 1];
  }
  std::partial_sum(tree.first_child.begin(), tree.first_child.end(), tree.first_child.begin());
  tree.children.resize(tree.first_child.back());
  std::vector<uint32_t> next(tree.first_child.begin(), tree.first_child.end() - 1);
  for (StackId id = 1; id < stacks.Size(); ++id) {
    if (is_used(id)) tree.children[next[stacks.Get(id).parent]++] = id;
  }
  const std::vector<uint32_t> ranks = RanksOf(tree.labels);
  for (size_t id = 0; id < stacks.Size(); ++id) {
    const auto begin = tree.children.begin() + tree.first_child[id],
               end = tree.children.begin() + tree.first_child[id + 1];
    if (end - begin < 2) continue;
    std::sort(begin, end,
              [&](StackId a, StackId b) { return ranks[stacks.Get(a).frame] < ranks[stacks.Get(b).frame]; });
  }
  return tree;
}

}  // namespace sparkprof

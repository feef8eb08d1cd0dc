// SPDX-License-Identifier: Apache-2.0
#include "profiles/stack_tree.h"

#include <algorithm>
#include <numeric>

#include "base/saturate.h"

namespace sparkprof {
namespace {

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

// Sorts the stacks `used`, callers before callees.
StackOrder OrderStacks(const Profile& profile, const std::vector<StackId>& used) {
  const StackTable& stacks = profile.stacks;
  StackOrder order;
  order.labels.resize(profile.frames.Size());
  for (FrameId id = 1; id < order.labels.size(); ++id) {
    order.labels[id] = FrameLabel(profile.strings, profile.frames.Get(id));
  }
  // Counting sort: the end of each stack's children becomes their start.
  order.first_child.assign(stacks.Size() + 1, 0);
  for (const StackId id : used) ++order.first_child[stacks.Get(id).parent];
  std::partial_sum(order.first_child.begin(), order.first_child.end(), order.first_child.begin());
  order.children.resize(order.first_child.back());
  for (auto id = used.rbegin(); id != used.rend(); ++id) {
    order.children[--order.first_child[stacks.Get(*id).parent]] = *id;
  }
  const std::vector<uint32_t> ranks = RanksOf(order.labels);
  for (size_t id = 0; id < stacks.Size(); ++id) {
    const auto begin = order.children.begin() + order.first_child[id],
               end = order.children.begin() + order.first_child[id + 1];
    if (end - begin < 2) continue;
    std::sort(begin, end,
              [&](StackId a, StackId b) { return ranks[stacks.Get(a).frame] < ranks[stacks.Get(b).frame]; });
  }
  return order;
}

}  // namespace

OwnWeights::OwnWeights(const Profile& profile, EventId event) : rows_(profile.stacks.Size()) {
  for (const Sample& sample : profile.samples) {
    if (sample.event != event) continue;
    uint32_t& row = rows_[sample.stack];
    if (row == 0) {
      row = static_cast<uint32_t>(weights_.size());
      weights_.emplace_back();
    }
    AddSaturated(sample.weight, &weights_[row].weight);
    AddSaturated(sample.count, &weights_[row].count);
  }
}

StackOrder OrderStacks(const Profile& profile, EventId event) {
  std::vector<bool> used(profile.stacks.Size());
  for (const Sample& sample : profile.samples) {
    if (sample.event == event) used[sample.stack] = true;
  }
  for (size_t id = used.size() - 1; id > 0; --id) {
    if (used[id]) used[profile.stacks.Get(static_cast<StackId>(id)).parent] = true;
  }
  std::vector<StackId> ids;
  ids.reserve(static_cast<size_t>(std::count(used.begin(), used.end(), true)));
  for (StackId id = 1; id < used.size(); ++id) {
    if (used[id]) ids.push_back(id);
  }
  return OrderStacks(profile, ids);
}

StackTree BuildStackTree(const Profile& profile, EventId event, std::optional<EventId> base_event, double least) {
  StackTree tree;
  tree.self = OwnWeights(profile, event);
  tree.total = AddUp(profile.stacks, WeighStacks(profile, event));
  if (base_event) {
    tree.base_self = OwnWeights(profile, *base_event);
    tree.base_total = AddUp(profile.stacks, WeighStacks(profile, *base_event));
  }
  // A stack's self weight may be negative.
  const auto has_room = [&](StackId id) {
    const int64_t weight = tree.total[id].weight;
    return least <= 0 || static_cast<double>(weight) >= least ||
           static_cast<double>(weight) - static_cast<double>(tree.self[id].weight) >= least;
  };
  std::vector<StackId> ordered;
  for (StackId id = 1; id < profile.stacks.Size(); ++id) {
    if (!IsUsed(tree.total[id]) && !(base_event && IsUsed(tree.base_total[id]))) continue;
    ++tree.used;
    if (has_room(profile.stacks.Get(id).parent)) ordered.push_back(id);
  }
  static_cast<StackOrder&>(tree) = OrderStacks(profile, ordered);
  return tree;
}

}  // namespace sparkprof

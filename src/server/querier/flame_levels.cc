// SPDX-License-Identifier: Apache-2.0
#include "server/querier/flame_levels.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "base/text/text.h"
#include "profiles/stack_tree.h"

namespace sparkprof {
namespace {

struct BarWeight {
  int64_t total = 0, self = 0;
};
using BarSides = std::array<BarWeight, 2>;  // for the event, or for the base event and the event

class LevelsBuilder {
 public:
  LevelsBuilder(const Profile& profile, EventId event, std::optional<EventId> base_event)
      : profile_(profile), side_count_(base_event ? 2 : 1), tree_(BuildStackTree(profile, event, base_event)) {}

  FlameLevels Build(size_t max_nodes) {
    const BarSides root = SidesOf(0);
    if (WidthOf(root) <= 0) return std::move(flame_);
    flame_.total = WidthOf(root);
    flame_.event_total = root[side_count_ - 1].total;
    if (side_count_ == 2) flame_.base_total = root[0].total;
    Choose(max_nodes);
    (void)NameRow("total");
    std::vector<Bar> level{{.sides = root}};
    while (!level.empty()) level = AddLevel(level);
    return std::move(flame_);
  }

 private:
  struct Bar {
    StackId stack = 0;
    uint32_t name = 0;
    BarSides sides;
    std::array<int64_t, 2> begins{};  // on either side
    bool is_other = false;
  };

  BarSides SidesOf(StackId stack) const {
    BarSides sides;
    if (side_count_ == 2) sides[0] = {tree_.base_total[stack].weight, tree_.base_self[stack].weight};
    sides[side_count_ - 1] = {tree_.total[stack].weight, tree_.self[stack].weight};
    return sides;
  }

  static int64_t WidthOf(const BarSides& sides) {
    int64_t width = 0;
    for (const BarWeight& side : sides) AddSaturated(side.total, &width);
    return width;
  }

  // A caller has a smaller ID than its callees and is at least as wide, so it is kept if one of them is.
  void Choose(size_t max_nodes) {
    std::vector<std::pair<int64_t, StackId>> by_width;
    for (const StackId stack : tree_.children) {
      if (const int64_t width = WidthOf(SidesOf(stack)); width > 0) by_width.emplace_back(-width, stack);
    }
    if (by_width.size() > max_nodes) {
      std::nth_element(by_width.begin(), by_width.begin() + static_cast<ptrdiff_t>(max_nodes), by_width.end());
      by_width.resize(max_nodes);
    }
    kept_.resize(profile_.stacks.Size());
    for (const auto& [width, stack] : by_width) kept_[stack] = true;
  }

  uint32_t NameRow(const std::string& name) {
    const auto [row, is_new] = name_rows_.try_emplace(name, static_cast<uint32_t>(flame_.names.size()));
    if (is_new) flame_.names.push_back(name);
    return row->second;
  }

  // Writes the bars of a level and returns those of the next one.
  std::vector<Bar> AddLevel(const std::vector<Bar>& level) {
    std::vector<int64_t>& numbers = flame_.levels.emplace_back();
    std::array<int64_t, 2> ends{};
    std::vector<Bar> next;
    for (const Bar& bar : level) {
      for (size_t side = 0; side < side_count_; ++side) {
        const BarWeight& weight = bar.sides[side];
        numbers.insert(numbers.end(), {bar.begins[side] - ends[side], weight.total, weight.self});
        ends[side] = bar.begins[side];
        AddSaturated(weight.total, &ends[side]);
        flame_.max_self = std::max(flame_.max_self, weight.self);
      }
      numbers.push_back(bar.name);
      if (!bar.is_other) AddCallees(bar, &next);
    }
    return next;
  }

  void AddCallees(const Bar& bar, std::vector<Bar>* next) {
    std::array<int64_t, 2> begins = bar.begins;
    for (size_t side = 0; side < side_count_; ++side) AddSaturated(bar.sides[side].self, &begins[side]);
    BarSides other;
    for (uint32_t i = tree_.first_child[bar.stack]; i < tree_.first_child[bar.stack + 1]; ++i) {
      const StackId callee = tree_.children[i];
      const BarSides sides = SidesOf(callee);
      if (kept_[callee]) {
        const FrameId frame = profile_.stacks.Get(callee).frame;
        next->push_back({callee, NameRow(ToUtf8(tree_.labels[frame])), sides, begins});
        for (size_t side = 0; side < side_count_; ++side) AddSaturated(sides[side].total, &begins[side]);
      } else {
        for (size_t side = 0; side < side_count_; ++side) AddSaturated(sides[side].total, &other[side].total);
      }
    }
    if (WidthOf(other) <= 0) return;
    for (BarWeight& side : other) side.self = side.total;
    next->push_back({0, NameRow("other"), other, begins, /*is_other=*/true});
  }

  const Profile& profile_;
  const size_t side_count_;
  const StackTree tree_;
  std::vector<bool> kept_;  // by StackId
  std::unordered_map<std::string, uint32_t> name_rows_;
  FlameLevels flame_;
};

}  // namespace

FlameLevels MakeFlameLevels(const Profile& profile, EventId event, std::optional<EventId> base_event,
                            size_t max_nodes) {
  return LevelsBuilder(profile, event, base_event).Build(max_nodes);
}

void KeepCallSite(const std::vector<std::string>& call_site, Profile* profile) {
  constexpr size_t kElsewhere = SIZE_MAX;
  // Number of matching frames from the root, for each stack.
  std::vector<size_t> matched(profile->stacks.Size());
  for (StackId id = 1; id < matched.size(); ++id) {
    const StackTable::Node& node = profile->stacks.Get(id);
    matched[id] = matched[node.parent];
    if (matched[id] == kElsewhere || matched[id] == call_site.size()) continue;
    const std::string label = ToUtf8(FrameLabel(profile->strings, profile->frames.Get(node.frame)));
    matched[id] = label == call_site[matched[id]] ? matched[id] + 1 : kElsewhere;
  }
  std::erase_if(profile->samples, [&](const Sample& sample) { return matched[sample.stack] != call_site.size(); });
}

}  // namespace sparkprof

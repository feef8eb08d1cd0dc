// SPDX-License-Identifier: Apache-2.0
#include "render/svg/flame_layout.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <tuple>

#include "base/saturate.h"

namespace sparkprof {
namespace {

// Ranks of "label " and "label;" among all such texts, by FrameId.
struct Ranks {
  std::vector<uint32_t> own, calls;
};

Ranks RanksOf(const std::vector<std::string>& labels) {
  // Even entries end in a space, odd ones in a semicolon.
  std::vector<std::string> texts;
  texts.reserve(labels.size() * 2);
  for (const std::string& label : labels) {
    texts.push_back(label + ' ');
    texts.push_back(label + ';');
  }
  std::vector<uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return texts[a] < texts[b]; });
  Ranks ranks{std::vector<uint32_t>(labels.size()), std::vector<uint32_t>(labels.size())};
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    (order[rank] % 2 == 0 ? ranks.own : ranks.calls)[order[rank] / 2] = rank;
  }
  return ranks;
}

// Adjacent lines of a frame: its own line, those of its callees, or both.
struct Piece {
  StackId stack = 0;
  uint32_t rank = 0;
  bool own = false;
  bool calls = false;
};

bool IsTooDeep(uint32_t depth, int64_t max_depth) { return max_depth > 0 && depth > max_depth; }

class Layout {
 public:
  Layout(const Profile& profile, const StackTree& tree, double least, int64_t max_depth)
      : stacks_(profile.stacks), tree_(tree), least_(least), max_depth_(max_depth), ranks_(RanksOf(tree.labels)) {}

  FlameLayout Run() {
    Place(Piece{0, 0, true, true}, 0, 0);
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      Place(next.piece, next.depth, next.start);
    }
    const size_t all = tree_.used + 1;
    layout_.left_out = all > drawn_ ? all - drawn_ : 0;
    for (size_t id = 0; id < tree_.base_self.size(); ++id) {
      layout_.largest_change =
          std::max(layout_.largest_change, std::abs(tree_.self[id].weight - tree_.base_self[id].weight));
    }
    return std::move(layout_);
  }

 private:
  struct Pending {
    Piece piece;
    uint32_t depth;
    int64_t start;
  };

  int64_t Calls(StackId stack) const { return tree_.total[stack].weight - tree_.self[stack].weight; }

  int64_t Width(const Piece& piece) const {
    return (piece.own ? tree_.self[piece.stack].weight : 0) + (piece.calls ? Calls(piece.stack) : 0);
  }

  void Place(const Piece& piece, uint32_t depth, int64_t start) {
    FlameRect rect{piece.stack, depth, start, Width(piece)};
    const StackWeight& self = tree_.self[piece.stack];
    rect.count = (piece.own ? self.count : 0) + (piece.calls ? tree_.total[piece.stack].count - self.count : 0);
    if (!tree_.base_self.empty() && piece.own) {
      rect.change = self.weight - tree_.base_self[piece.stack].weight;
    }
    if (piece.own || self.weight == 0) ++drawn_;
    layout_.rects.push_back(rect);
    layout_.deepest = std::max(layout_.deepest, depth);
    if (!piece.calls) return;
    if (IsTooDeep(depth + 1, max_depth_)) {
      layout_.is_cut = true;
      return;
    }
    PlaceCallees(piece.stack, depth + 1, start + (piece.own ? self.weight : 0));
  }

  void PlaceCallees(StackId parent, uint32_t depth, int64_t start) {
    pieces_.clear();
    for (uint32_t i = tree_.first_child[parent]; i < tree_.first_child[parent + 1]; ++i) {
      const StackId child = tree_.children[i];
      const FrameId frame = stacks_.Get(child).frame;
      const bool had_own = !tree_.base_self.empty() && tree_.base_self[child].weight > 0;
      const bool own = tree_.self[child].weight > 0 || had_own, calls = Calls(child) > 0;
      if (own) pieces_.push_back({child, ranks_.own[frame], true, false});
      if (calls) pieces_.push_back({child, ranks_.calls[frame], false, true});
    }
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.rank < b.rank; });
    const size_t first_pending = pending_.size();
    for (size_t i = 0; i < pieces_.size(); ++i) {
      Piece piece = pieces_[i];
      if (piece.own && i + 1 < pieces_.size() && pieces_[i + 1].stack == piece.stack) {
        piece.calls = true;
        ++i;
      }
      const int64_t width = Width(piece);
      if (static_cast<double>(width) >= least_) pending_.push_back({piece, depth, start});
      start += width;
    }
    // The leftmost is drawn next.
    std::reverse(pending_.begin() + static_cast<ptrdiff_t>(first_pending), pending_.end());
  }

  const StackTable& stacks_;
  const StackTree& tree_;
  const double least_;
  const int64_t max_depth_;
  const Ranks ranks_;
  FlameLayout layout_;
  size_t drawn_ = 0;  // number of distinct frames drawn
  std::vector<Pending> pending_;
  std::vector<Piece> pieces_;
};

}  // namespace

FlameLayout LayOutFlame(const Profile& profile, const StackTree& tree, double least, int64_t max_depth) {
  return Layout(profile, tree, least, max_depth).Run();
}

FlameLayout LayOutFlameChart(const Profile& profile, EventId event, double least, int64_t max_depth) {
  std::vector<const Sample*> samples;
  for (const Sample& sample : profile.samples) {
    if (sample.event == event && sample.weight > 0) samples.push_back(&sample);
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample* a, const Sample* b) { return a->time_ns < b->time_ns; });
  FlameLayout layout;
  // The current stack, root first; widths and counts are set when a frame ends.
  std::vector<FlameRect> open{FlameRect{}};
  std::vector<StackId> path;
  int64_t weight = 0, count = 0;
  const auto close = [&](size_t depth) {
    while (open.size() > depth) {
      FlameRect rect = open.back();
      open.pop_back();
      rect.width = weight - rect.start;
      rect.count = count - rect.count;
      const bool is_too_deep = IsTooDeep(rect.depth, max_depth);
      layout.is_cut = layout.is_cut || is_too_deep;
      if (is_too_deep || (rect.depth > 0 && static_cast<double>(rect.width) < least)) {
        ++layout.left_out;
        continue;
      }
      layout.deepest = std::max(layout.deepest, rect.depth);
      layout.rects.push_back(rect);
    }
  };
  for (const Sample* sample : samples) {
    path.clear();
    for (StackId id = sample->stack; id != 0; id = profile.stacks.Get(id).parent) path.push_back(id);
    std::reverse(path.begin(), path.end());
    size_t common = 0;
    while (common < path.size() && common + 1 < open.size() && open[common + 1].stack == path[common]) ++common;
    close(common + 1);
    for (size_t i = common; i < path.size(); ++i) {
      open.push_back({.stack = path[i], .depth = static_cast<uint32_t>(i + 1), .start = weight, .count = count});
    }
    AddSaturated(sample->weight, &weight);
    AddSaturated(sample->count, &count);
  }
  close(0);
  std::sort(layout.rects.begin(), layout.rects.end(), [](const FlameRect& a, const FlameRect& b) {
    return std::tie(a.depth, a.start) < std::tie(b.depth, b.start);
  });
  return layout;
}

}  // namespace sparkprof

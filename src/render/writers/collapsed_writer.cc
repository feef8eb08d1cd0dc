// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturate.h"
#include "profiles/stack_tree.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

void Escape(std::string* label) {
  for (char& c : *label) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
}

// Text of the current stack. Appends millions of labels, most of them shorter than kPiece, so kPiece bytes are always
// copied, which avoids a call.
class Path {
 public:
  explicit Path(const std::vector<std::string>& labels) {
    begins_.reserve(labels.size() + 1);
    for (std::string label : labels) {
      Escape(&label);
      begins_.push_back(labels_.size());
      labels_ += ';';
      labels_ += label;
    }
    begins_.push_back(labels_.size());
    labels_.append(kPiece, ' ');
  }

  // The first frame has depth 1.
  void Enter(uint32_t depth, FrameId frame) {
    const size_t begin = ends_[depth - 1], size = begins_[frame + 1] - begins_[frame];
    if (begin + size + kPiece > text_.size()) text_.resize((begin + size + kPiece) * 2);
    const char* const label = labels_.data() + begins_[frame];
    std::memcpy(text_.data() + begin, label, kPiece);
    if (size > kPiece) std::memcpy(text_.data() + begin, label, size);
    if (ends_.size() == depth) ends_.emplace_back();
    ends_[depth] = size_ = begin + size;
  }
  // The path without its leading separator.
  std::string_view Text() const { return std::string_view(text_).substr(1, size_ - 1); }

 private:
  static constexpr size_t kPiece = 64;

  std::string labels_;  // labels, each with a leading separator
  std::vector<size_t> begins_;
  std::string text_;
  size_t size_ = 0;
  std::vector<size_t> ends_{0};  // end positions by depth
};

// Calls `leaf(stack, path)` for each node of the tree, where `path()` returns the path; the root's path is "[unknown]".
template <typename Leaf>
void VisitPaths(const Profile& profile, const StackOrder& order, Leaf&& leaf) {
  Path path(order.labels);
  VisitPreorder(order, [&](StackId stack, uint32_t depth) {
    if (depth > 0) path.Enter(depth, profile.stacks.Get(stack).frame);
    leaf(stack, [&] { return depth > 0 ? path.Text() : std::string_view("[unknown]"); });
  });
}

}  // namespace

void WriteCollapsed(const Profile& profile, EventId event, bool counts, OutputFile* output) {
  // Weights that are already counts, such as perf's periods, are kept.
  const auto has_counts = [](const ProfileEvent& its) { return its.has_counts && its.unit != "count"; };
  const bool by_count = counts && event < profile.events.size() && has_counts(profile.events[event]);
  std::vector<int64_t> values(profile.stacks.Size());
  for (const Sample& sample : profile.samples) {
    if (sample.event == event) AddSaturated(by_count ? sample.count : sample.weight, &values[sample.stack]);
  }
  VisitPaths(profile, OrderStacks(profile, event), [&](StackId stack, auto&& path) {
    if (values[stack] == 0) return;  // not <= 0: differences of pprof may be negative
    output->Append(path());
    output->Append(' ');
    output->Append(values[stack]);
    output->Append('\n');
  });
}

void WriteCollapsedPair(const Profile& profile, EventId before, EventId after, OutputFile* output) {
  const StackTree tree = BuildStackTree(profile, after, before);
  VisitPaths(profile, tree, [&](StackId stack, auto&& path) {
    const StackWeight &before_weight = tree.base_self[stack], &after_weight = tree.self[stack];
    // Scaling may round a weight to zero; the stack is still shown, as in difffolded.pl.
    const bool is_used = before_weight.count != 0 || after_weight.count != 0;
    if (!is_used && before_weight.weight <= 0 && after_weight.weight <= 0) return;
    output->Append(path());
    output->Append(' ');
    output->Append(before_weight.weight);
    output->Append(' ');
    output->Append(after_weight.weight);
    output->Append('\n');
  });
}

}  // namespace sparkprof

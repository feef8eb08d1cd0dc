// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/text.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/shown_samples.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

constexpr size_t kTopOfPaths = 8;
constexpr size_t kMaxPathChanges = 20;
constexpr double kLeastShare = 0.02;    // minimum share of the samples; narrower paths are omitted
constexpr size_t kMaxIndentation = 24;  // characters
constexpr size_t kMaxChain = 6;         // maximum number of frames per line

// Formats the call tree as lines: frames with a single callee share a line, without internal frames of Spark and the
// JDK.
class PathLines {
 public:
  PathLines(const Profile& profile, EventId event, ToolAnswer* answer)
      : profile_(profile), tree_(BuildStackTree(profile, event)), answer_(answer) {
    least_ = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(tree_.Root().weight) * kLeastShare));
  }

  void Add() {
    for (const StackId child : Children(0)) AddBelow(child, 0);
  }

 private:
  // Callees that are wide enough, heaviest first.
  std::vector<StackId> Children(StackId stack) const {
    std::vector<StackId> wide;
    for (uint32_t i = tree_.first_child[stack]; i < tree_.first_child[stack + 1]; ++i) {
      if (tree_.total[tree_.children[i]].weight >= least_) wide.push_back(tree_.children[i]);
    }
    std::stable_sort(wide.begin(), wide.end(),
                     [&](StackId a, StackId b) { return tree_.total[a].weight > tree_.total[b].weight; });
    return wide;
  }

  bool IsUsers(StackId stack) const {
    const Frame& frame = profile_.frames.Get(profile_.stacks.Get(stack).frame);
    if (frame.kind == FrameKind::kSynthetic) return true;
    return IsUserCode(profile_, frame);
  }

  void AddBelow(StackId top, size_t depth) {
    // Not recursive: stacks may be thousands of frames deep, but there are lines only where paths diverge.
    struct Pending {
      StackId stack;
      size_t depth;
    };
    std::vector<Pending> pending{{top, depth}};
    while (!pending.empty()) {
      const Pending next = pending.back();
      pending.pop_back();
      std::vector<StackId> chain{next.stack};
      std::vector<StackId> below = Children(next.stack);
      while (below.size() == 1 && tree_.total[below.front()].weight >= tree_.total[chain.front()].weight * 9 / 10) {
        chain.push_back(below.front());
        below = Children(below.front());
      }
      answer_->Add(Line(chain, next.depth));
      for (size_t i = below.size(); i > 0; --i) pending.push_back({below[i - 1], next.depth + 1});
    }
  }

  std::string Line(const std::vector<StackId>& chain, size_t depth) const {
    std::vector<std::string> names;
    bool is_cut = false;
    for (size_t i = 0; i < chain.size(); ++i) {
      const bool is_end = i == 0 || i + 1 == chain.size();
      if (!is_end && chain.size() > kMaxChain && !IsUsers(chain[i])) {
        is_cut = true;
        continue;
      }
      if (is_cut) names.emplace_back("…");
      is_cut = false;
      names.push_back(Unmarked(FrameName(profile_, profile_.stacks.Get(chain[i]).frame), 100));
    }
    if (names.size() > 2 * kMaxChain) {
      names.erase(names.begin() + kMaxChain, names.end() - kMaxChain);
      names.insert(names.begin() + kMaxChain, "…");
    }
    const int64_t whole = tree_.Root().weight;
    const int64_t self = tree_.self[chain.back()].weight;
    return fmt::format("{:{}}{} {}{}", "", std::min(depth, kMaxIndentation),
                       PercentOf(tree_.total[chain.front()].weight, whole),
                       Marked(fmt::format("{}", fmt::join(names, " > ")), 700),
                       self >= least_ ? fmt::format(" own {}", PercentOf(self, whole)) : "");
  }

  const Profile& profile_;
  StackTree tree_;
  ToolAnswer* answer_;
  int64_t least_ = 1;
};

}  // namespace

Result<ToolAnswer> AnswerStacks(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> asked = LoadAsked(source, arguments);
  if (!asked) return tl::unexpected(asked.error());
  const Result<Selection> selection = SelectionOf(arguments);
  if (!selection) return tl::unexpected(selection.error());
  const std::string through = arguments.Text("through");
  const Result<ShownSamples> shown = ShowSamples(*asked->merged, *selection, through);
  if (!shown) return tl::unexpected(shown.error());
  ToolAnswer answer;
  answer.Add(fmt::format("{} {}", Marked(asked->recorded->id, 80), kMarkNote));
  if (!shown->why_empty.empty()) {
    answer.Add(shown->EmptyLine());
    return answer;
  }
  const std::string baseline = arguments.Text("baseline");
  if (!baseline.empty()) {
    const bool is_of_stage = baseline == "stage";
    const Result<AskedApplication> other = is_of_stage ? asked : OfArgument("baseline", source->Load(baseline));
    if (!other) return tl::unexpected(other.error());
    // Stages and tasks have different numbers in another application, so they are not selected there.
    Result<Selection> of_other = is_of_stage ? OtherTasks(*asked->recorded, *selection)
                                             : Result<Selection>(Selection{.event = selection->event});
    if (!of_other) return tl::unexpected(of_other.error());
    const Result<ShownSamples> before = ShowSamples(*other->merged, *of_other, through);
    if (!before) return tl::unexpected(before.error());
    if (!before->why_empty.empty()) {
      answer.Add("Baseline: " + before->EmptyLine());
      return answer;
    }
    AddDifference(*before, *shown, kMaxPathChanges, &answer);
    return answer;
  }
  answer.Add(fmt::format("{} [samples]", AmountOf(*shown)));
  AddTopFunctions(*shown, kTopOfPaths, &answer);
  answer.Add(fmt::format("Call paths, heaviest first; below {} left out [samples]:", FormatShare(kLeastShare)));
  PathLines(shown->profile, shown->event, &answer).Add();
  return answer;
}

}  // namespace sparkprof

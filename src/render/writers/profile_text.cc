// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "profiles/frame_weights.h"
#include "profiles/stack_tree.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

constexpr size_t kTopFrames = 25;
constexpr double kLeastShare = 0.005;  // minimum share of a tree node

double ShareOf(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string WithCommas(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string FormatAmount(std::string_view unit, int64_t weight) {
  if (unit == "ns") return FormatDuration(weight);
  if (unit == "bytes") return FormatBytes(weight);
  return WithCommas(weight);
}

void WriteProfileText(const Profile& profile, EventId event, OutputFile* output) {
  const ProfileEvent& kind = profile.events[event];
  const StackTree tree = BuildStackTree(profile, event);
  const int64_t total = tree.Root().weight;
  output->Append(fmt::format("{}: {} in {} samples\n\n", kind.name, FormatAmount(kind.unit, total),
                             WithCommas(tree.Root().count)));

  std::vector<FrameWeight> frames = WeighFrames(profile, tree);
  const size_t shown = std::min(kTopFrames, frames.size());
  std::partial_sort(frames.begin(), frames.begin() + static_cast<ptrdiff_t>(shown), frames.end(),
                    [&](const FrameWeight& a, const FrameWeight& b) {
                      if (a.self.weight != b.self.weight) return a.self.weight > b.self.weight;
                      return tree.labels[a.frame] < tree.labels[b.frame];
                    });
  output->Append(fmt::format("{:>10} {:>8}  {:>10} {:>8}  {}\n", "own", "", "with calls", "", "frame"));
  for (size_t i = 0; i < shown; ++i) {
    const FrameWeight& frame = frames[i];
    output->Append(fmt::format("{:>10} {:>8}  {:>10} {:>8}  {}\n", FormatAmount(kind.unit, frame.self.weight),
                               FormatShare(ShareOf(frame.self.weight, total)),
                               FormatAmount(kind.unit, frame.total.weight),
                               FormatShare(ShareOf(frame.total.weight, total)), ToOneLine(tree.labels[frame.frame])));
  }
  if (frames.size() > shown) output->Append(fmt::format("{:>10} more frames\n", frames.size() - shown));

  output->Append("\n");
  // Callees with the largest total first.
  struct Pending {
    StackId stack;
    size_t depth;
  };
  std::vector<Pending> pending{{0, 0}};
  std::vector<StackId> callees;
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    const int64_t weight = tree.total[next.stack].weight;
    output->Append(fmt::format("{:>10} {:>8}  {}{}\n", FormatAmount(kind.unit, weight),
                               FormatShare(ShareOf(weight, total)), std::string(next.depth * 2, ' '),
                               next.stack == 0 ? "all" : ToOneLine(tree.labels[profile.stacks.Get(next.stack).frame])));
    callees.assign(tree.children.begin() + tree.first_child[next.stack],
                   tree.children.begin() + tree.first_child[next.stack + 1]);
    std::erase_if(callees, [&](StackId id) { return ShareOf(tree.total[id].weight, total) < kLeastShare; });
    std::stable_sort(callees.begin(), callees.end(),
                     [&](StackId a, StackId b) { return tree.total[a].weight < tree.total[b].weight; });
    for (const StackId id : callees) pending.push_back({id, next.depth + 1});
  }
}

std::string FormatWeight(Event event, int64_t weight) {
  return EventUnit(event) == "bytes" ? FormatBytes(weight) : FormatDuration(weight);
}

}  // namespace sparkprof

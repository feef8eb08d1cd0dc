// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/samples/profile_builder.h"
#include "model/samples/stack_tables.h"

namespace sparkprof {
namespace {

void AddEvent(const Profile& from, EventId event, EventId row, double scale, ProfileBuilder* builder) {
  StackCopier stacks(from, &builder->profile());
  const std::vector<StackWeight> weights = WeighStacks(from, event);
  for (StackId id = 0; id < weights.size(); ++id) {
    if (weights[id].weight == 0 && weights[id].count == 0) continue;
    const auto weight =
        scale == 1 ? weights[id].weight
                   : static_cast<int64_t>(std::clamp(static_cast<double>(weights[id].weight) * scale, -9e18, 9e18));
    builder->Add({.stack = stacks.Copy(id), .event = row, .weight = weight, .count = weights[id].count});
  }
}

int64_t TotalOf(const Profile& profile, EventId event) {
  double total = 0;
  for (const Sample& sample : profile.samples) {
    if (sample.event == event) total += static_cast<double>(sample.weight);
  }
  return static_cast<int64_t>(std::clamp(total, -9e18, 9e18));
}

// Whether counts are numbers of samples: a count of something else, such as objects, may also be its weight.
bool CountsSamples(const Profile& profile, EventId event) {
  if (!profile.events[event].has_counts && profile.events[event].unit == "count") return false;
  const auto is_counted = [event](const Sample& sample) { return sample.event == event && sample.count != 0; };
  const auto is_weighed = [event](const Sample& sample) { return sample.event == event && sample.weight != 0; };
  return std::any_of(profile.samples.begin(), profile.samples.end(), is_counted) ||
         std::none_of(profile.samples.begin(), profile.samples.end(), is_weighed);
}

// Probability that a normally distributed value is closer to its mean than `deviations`.
double Confidence(double deviations) { return std::erf(std::abs(deviations) / std::sqrt(2.0)); }

double ConfidenceOfShares(const StackWeight& before, const StackWeight& all_before, const StackWeight& after,
                          const StackWeight& all_after) {
  const auto n1 = static_cast<double>(all_before.count), n2 = static_cast<double>(all_after.count);
  if (n1 <= 0 || n2 <= 0) return 0;
  const double p1 = static_cast<double>(before.count) / n1, p2 = static_cast<double>(after.count) / n2;
  const double pooled = static_cast<double>(before.count + after.count) / (n1 + n2);
  const double variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2);
  return variance <= 0 ? 0 : Confidence((p2 - p1) / std::sqrt(variance));
}

double ConfidenceOfCounts(const StackWeight& before, const StackWeight& after) {
  const auto sum = static_cast<double>(before.count) + static_cast<double>(after.count);
  return sum <= 0 ? 0
                  : Confidence((static_cast<double>(after.count) - static_cast<double>(before.count)) / std::sqrt(sum));
}

// Merges frames with equal labels: formats contain different details of a frame, and a method may be interpreted on one
// side and compiled on the other.
void MergeFramesByLabel(Profile* profile) {
  std::unordered_map<std::string, FrameId> by_label;
  std::vector<FrameId> merged(profile->frames.Size());
  for (FrameId id = 1; id < merged.size(); ++id) {
    FrameId& first = by_label.try_emplace(FrameLabel(profile->strings, profile->frames.Get(id)), id).first->second;
    if (profile->frames.Get(first).kind == FrameKind::kUnknown) first = id;
  }
  for (FrameId id = 1; id < merged.size(); ++id) {
    merged[id] = by_label.at(FrameLabel(profile->strings, profile->frames.Get(id)));
  }
  StackTable stacks;
  std::vector<StackId> moved(profile->stacks.Size());
  for (StackId id = 1; id < moved.size(); ++id) {
    const StackTable::Node& node = profile->stacks.Get(id);
    moved[id] = stacks.Push(moved[node.parent], merged[node.frame]);
  }
  for (Sample& sample : profile->samples) sample.stack = moved[sample.stack];
  profile->stacks = std::move(stacks);
}

}  // namespace

Profile PutTogether(const Profile& before, EventId before_event, const Profile& after, EventId after_event,
                    bool normalize) {
  ProfileBuilder builder({.name = after.name});
  const std::string& unit = after.events[after_event].unit;
  builder.AddEvent("before", unit);
  builder.AddEvent("after", unit);
  builder.profile().default_event = 1;
  const bool counts_samples = CountsSamples(before, before_event) && CountsSamples(after, after_event);
  for (ProfileEvent& event : builder.profile().events) event.has_counts = counts_samples;
  const int64_t total_before = TotalOf(before, before_event), total_after = TotalOf(after, after_event);
  const double scale = normalize && total_before != 0 && total_before != total_after
                           ? static_cast<double>(total_after) / static_cast<double>(total_before)
                           : 1;
  AddEvent(before, before_event, 0, scale, &builder);
  AddEvent(after, after_event, 1, 1, &builder);
  Profile together = builder.Take();
  MergeFramesByLabel(&together);
  return together;
}

ProfileDiff Compare(const Profile& together, bool normalized) {
  const StackTree tree = BuildStackTree(together, 1, 0);
  ProfileDiff diff{
      tree.base_total[0], tree.total[0], together.events[0].has_counts && together.events[1].has_counts, {}};
  const double whole = static_cast<double>(diff.before.weight != 0 ? diff.before.weight : diff.after.weight);
  for (FrameWeight& weight : WeighFrames(together, tree)) {
    FrameChange change{tree.labels[weight.frame], weight};
    if (whole != 0) {
      change.change =
          (static_cast<double>(weight.total.weight) - static_cast<double>(weight.base_total.weight)) / whole;
      change.self_change =
          (static_cast<double>(weight.self.weight) - static_cast<double>(weight.base_self.weight)) / whole;
    }
    if (diff.counts_samples) {
      change.confidence = normalized ? ConfidenceOfShares(weight.base_total, diff.before, weight.total, diff.after)
                                     : ConfidenceOfCounts(weight.base_total, weight.total);
    }
    diff.changes.push_back(std::move(change));
  }
  std::sort(diff.changes.begin(), diff.changes.end(), [](const FrameChange& a, const FrameChange& b) {
    const double left = std::max(std::abs(a.change), std::abs(a.self_change));
    const double right = std::max(std::abs(b.change), std::abs(b.self_change));
    if (left != right) return left > right;
    return a.label < b.label;
  });
  return diff;
}

}  // namespace sparkprof

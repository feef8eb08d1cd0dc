// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "mcp/job_text.h"
#include "mcp/shown_samples.h"
#include "profiles/profile_diff.h"
#include "profiles/profile_transform.h"

namespace sparkprof {
namespace {

int64_t CountOf(const ShownSamples& shown) {
  int64_t count = 0;
  for (const Sample& sample : shown.profile.samples) count += sample.count;
  return count;
}

int64_t WholeOf(const ShownSamples& shown) {
  int64_t whole = 0;
  for (const Sample& sample : shown.profile.samples) whole += sample.weight;
  return whole;
}

}  // namespace

std::string AmountOf(const ShownSamples& shown) {
  const ProfileEvent& event = shown.profile.events[shown.event];
  return fmt::format("{}{} {} in {} samples", Marked(event.name, 30),
                     event.name == EventName(Event::kWall) ? " (of tasks and the user's code)" : "",
                     WeightText(event, WholeOf(shown)), CountOf(shown));
}

Result<Selection> OtherTasks(const Application& application, const Selection& selection) {
  if (selection.tasks.empty()) return Fail("baseline=\"stage\" needs the argument task");
  const Tasks& tasks = application.tasks;
  const auto row = std::find(tasks.id.begin(), tasks.id.end(), selection.tasks.front());
  const int32_t stage = row == tasks.id.end() ? -1 : tasks.stage[static_cast<size_t>(row - tasks.id.begin())];
  if (stage < 0) return Fail(fmt::format("no task {} with a stage", selection.tasks.front()));
  Selection others = selection;
  others.stage = application.stages[static_cast<size_t>(stage)].id;
  others.stage_attempt = application.stages[static_cast<size_t>(stage)].attempt;
  others.tasks.clear();
  for (size_t i = 0; i < tasks.Size(); ++i) {
    if (tasks.stage[i] == stage && tasks.id[i] != selection.tasks.front()) others.tasks.push_back(tasks.id[i]);
  }
  if (others.tasks.empty()) return Fail(fmt::format("task {} is the only one of its stage", selection.tasks.front()));
  return others;
}

void AddDifference(const ShownSamples& before, const ShownSamples& after, size_t most, ToolAnswer* answer) {
  const Profile together = PutTogether(before.profile, before.event, after.profile, after.event, /*normalize=*/true);
  const ProfileDiff diff = Compare(together, /*normalized=*/true);
  answer->Add(fmt::format(
      "Baseline {}; selection {}. Shares of each, largest change first [samples]:", AmountOf(before), AmountOf(after)));
  for (size_t i = 0; i < std::min(diff.changes.size(), most); ++i) {
    const FrameChange& change = diff.changes[i];
    answer->Add(fmt::format("  {} -> {}  {}{}", PercentOf(change.weight.base_total.weight, diff.before.weight),
                            PercentOf(change.weight.total.weight, diff.after.weight),
                            Marked(SimpleName(change.label), 120), change.confidence < 0.95 ? " (may be chance)" : ""));
  }
}

}  // namespace sparkprof

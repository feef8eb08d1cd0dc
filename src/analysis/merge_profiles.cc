// SPDX-License-Identifier: Apache-2.0
#include "analysis/merge_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/stack_copier.h"

namespace sparkprof {
namespace {

constexpr std::string_view kAnyCount = "samples";

void AddProfile(const Profile& from, EventId event, const ProfileEvent& sum, bool by_input, ProfileBuilder* to) {
  StackCopier stacks(from.strings, from.frames, from.stacks, &to->profile());
  if (by_input) {
    stacks.SetRoot(to->profile().stacks.Push(0, to->AddFrame(from.name, FrameKind::kSynthetic)));
  }
  std::vector<EventId> events;
  for (EventId row = 0; row < from.EventCount(); ++row) {
    const ProfileEvent& added = row == event ? sum : from.events[row];
    events.push_back(to->AddEvent(added.name, added.unit));
    to->profile().events[events.back()].counts_as = added.counts_as;
  }
  std::vector<uint32_t> threads, tasks;
  for (const ProfileThread& thread : from.threads) threads.push_back(to->AddThread(thread));
  for (const ProfileTask& task : from.tasks) tasks.push_back(to->AddTask(task));
  for (Sample sample : from.samples) {
    sample.stack = stacks.Copy(sample.stack);
    sample.event = events[sample.event];
    sample.thread = threads[sample.thread];
    sample.task = tasks[sample.task];
    to->Add(sample);
  }
  Profile& profile = to->profile();
  if (profile.damaged == 0) profile.first_damage = from.first_damage;
  profile.damaged += from.damaged;
  if (from.start_ns != kNoTime) {
    profile.start_ns = profile.start_ns == kNoTime ? from.start_ns : std::min(profile.start_ns, from.start_ns);
  }
}

}  // namespace

bool HaveSameName(const ProfileEvent& a, const ProfileEvent& b) {
  return a.name == b.name || a.name == kAnyCount || b.name == kAnyCount;
}

Result<MergedProfile> MergeProfiles(std::vector<Profile> inputs, const MergeOptions& options) {
  MergedProfile merged;
  const Profile* first = nullptr;  // with samples of the event
  ProfileEvent sum;
  std::vector<EventId> rows;
  for (Profile& input : inputs) {
    input.ShowCountsAs(options.event);
    const Result<EventId> row = input.FindEvent(options.event);
    rows.push_back(row.value_or(kNoEvent));
    if (!row) {
      merged.without_event.push_back(row.error().message);
      continue;
    }
    const ProfileEvent& event = input.events[*row];
    if (first == nullptr) {
      first = &input;
      sum = event;
    } else if (sum.unit != event.unit || (options.event.empty() && !HaveSameName(sum, event))) {
      return Fail(fmt::format("cannot add {} ({}) of {} and {} ({}) of {}; select an event that both have with --event",
                              sum.name, sum.unit, first->name, event.name, event.unit, input.name));
    }
    if (sum.name == kAnyCount) sum.name = event.name;
  }
  if (first == nullptr) merged.without_event.clear();
  ProfileBuilder builder(options.read);
  if (first != nullptr) builder.profile().default_event = builder.AddEvent(sum.name, sum.unit);
  for (size_t i = 0; i < inputs.size(); ++i) {
    AddProfile(inputs[i], rows[i], sum, options.by_input, &builder);
    inputs[i] = {};  // its memory is no longer needed
  }
  merged.profile = builder.Take();
  return merged;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "profiles/merge_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "model/samples/stack_tables.h"

namespace sparkprof {
namespace {

constexpr std::string_view kAnyCount = "samples";

void AddProfile(const Profile& from, EventId event, const ProfileEvent& sum, bool by_input, ProfileBuilder* to) {
  StackCopier stacks(from, &to->profile());
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

// The row of `input` that can be added to `event`: one with the same name and unit, or the samples of a format without
// event names; kNoEvent if there is none.
EventId RowThatFits(const Profile& input, const ProfileEvent& event) {
  for (EventId row = 0; row < input.EventCount(); ++row) {
    if (input.events[row].name == event.name && input.events[row].unit == event.unit) return row;
  }
  if (input.default_event >= input.EventCount()) return kNoEvent;
  const ProfileEvent& standard = input.events[input.default_event];
  return standard.name == kAnyCount && standard.unit == event.unit ? input.default_event : kNoEvent;
}

ProfileEvent MostCommonEvent(const std::vector<Profile>& inputs) {
  std::vector<ProfileEvent> candidates;
  const auto add_candidate = [&](const ProfileEvent& event) {
    const auto is_same = [&](const ProfileEvent& other) {
      return other.name == event.name && other.unit == event.unit;
    };
    if (std::none_of(candidates.begin(), candidates.end(), is_same)) candidates.push_back(event);
  };
  for (const Event event : kAllEvents) {
    for (const Profile& input : inputs) {
      if (const EventId row = input.Row(event); row != kNoEvent) add_candidate(input.events[row]);
    }
  }
  for (const Profile& input : inputs) {
    if (input.default_event < input.EventCount()) add_candidate(input.events[input.default_event]);
  }
  ProfileEvent best;
  ptrdiff_t most = 0;
  for (const ProfileEvent& candidate : candidates) {
    const ptrdiff_t count = std::count_if(
        inputs.begin(), inputs.end(), [&](const Profile& input) { return RowThatFits(input, candidate) != kNoEvent; });
    if (count <= most) continue;
    most = count;
    best = candidate;
  }
  return best;
}

// Formats the events of `input` for a message: "cpu (count), alloc (bytes)".
std::string EventsOf(const Profile& input) {
  std::string events;
  for (const ProfileEvent& event : input.events) {
    events += fmt::format("{}{} ({})", events.empty() ? "" : ", ", event.name, event.unit);
  }
  return events.empty() ? "no samples" : events;
}

}  // namespace

bool HaveSameName(const ProfileEvent& a, const ProfileEvent& b) {
  return a.name == b.name || a.name == kAnyCount || b.name == kAnyCount;
}

Result<MergedProfile> MergeProfiles(std::vector<Profile> inputs, const MergeOptions& options) {
  MergedProfile merged;
  const Profile* first = nullptr;  // first input with samples of the event
  ProfileEvent sum;
  std::vector<EventId> rows;
  const bool leaves_out = options.leave_out && options.event.empty();
  const ProfileEvent common = leaves_out ? MostCommonEvent(inputs) : ProfileEvent{};
  for (Profile& input : inputs) {
    input.ShowCountsAs(options.event);
    const Result<EventId> row =
        leaves_out ? Result<EventId>(RowThatFits(input, common)) : input.FindEvent(options.event);
    rows.push_back(row.value_or(kNoEvent));
    if (rows.back() == kNoEvent) {
      merged.without_event.push_back(
          row ? fmt::format("{}: {}, not {} ({})", input.name, EventsOf(input), common.name, common.unit)
              : row.error().message);
      continue;
    }
    ++merged.inputs;
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
    inputs[i] = {};  // frees its memory
  }
  merged.profile = builder.Take();
  return merged;
}

}  // namespace sparkprof

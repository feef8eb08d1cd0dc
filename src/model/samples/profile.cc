// SPDX-License-Identifier: Apache-2.0
#include "model/samples/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/saturate.h"
#include "model/samples/jfr_event_names.h"

namespace sparkprof {

Result<EventId> Profile::FindEvent(std::string_view event_name) const {
  std::vector<std::string_view> known;
  for (EventId row = 0; row < EventCount(); ++row) {
    if (events[row].name == event_name) return row;
    if (!events[row].counts_as.empty()) known.emplace_back(events[row].counts_as);
    known.emplace_back(events[row].name);
  }
  // perf's modifiers are optional: "cycles" matches "cycles:ppp".
  for (EventId row = 0; row < EventCount() && !event_name.empty(); ++row) {
    const std::string_view known_name = events[row].name;
    if (known_name.starts_with(event_name) && known_name.substr(event_name.size()).starts_with(':') &&
        known_name.find_first_not_of("ukhIGHpPSDeW", event_name.size() + 1) == std::string_view::npos) {
      return row;
    }
  }
  const JfrEventName* const of_type = FindJfrEventName(event_name);
  for (EventId row = 0; of_type != nullptr && row < EventCount(); ++row) {
    if (events[row].name == of_type->name) return row;
  }
  if (events.empty()) return Fail(fmt::format("{}: no samples", name));
  if (event_name.empty()) return default_event;
  return Fail(fmt::format("{}: no event {}; recorded: {}", name, event_name, fmt::join(known, ", ")));
}

void Profile::ShowCountsAs(std::string_view event_name) {
  const auto has_name = [&](const ProfileEvent& event) { return event.name == event_name; };
  if (event_name.empty() || std::any_of(events.begin(), events.end(), has_name)) return;
  for (EventId row = 0; row < EventCount(); ++row) {
    if (events[row].counts_as != event_name) continue;
    events[row] = {std::string(event_name), "count"};
    for (Sample& sample : samples) {
      if (sample.event == row) sample.weight = sample.count;
    }
    return;
  }
}

EventId Profile::Row(Event event) const {
  for (EventId row = 0; row < EventCount(); ++row) {
    if (events[row].name == EventName(event)) return row;
  }
  return kNoEvent;
}

EventId Profile::AddEvent(std::string_view event_name, std::string_view unit) {
  for (EventId row = 0; row < EventCount(); ++row) {
    if (events[row].name == event_name && events[row].unit == unit) return row;
  }
  // The last row collects all further events: each new event is compared with the earlier ones.
  constexpr size_t kMaxEvents = 1024;
  static_assert(kMaxEvents < kNoEvent);
  if (events.size() + 1 == kMaxEvents) events.push_back({"[other events]", "count"});
  if (events.size() == kMaxEvents) return kMaxEvents - 1;
  events.push_back({std::string(event_name), std::string(unit)});
  return static_cast<EventId>(events.size() - 1);
}

std::string_view ProfileEvent::Label() const {
  const std::optional<Event> event = ParseEvent(name);
  return event ? EventLabel(*event) : std::string_view(name);
}

std::string FrameLabel(const StringTable& strings, const Frame& frame) {
  std::string label(strings.Get(frame.name));
  if (label.empty()) label = "[unknown]";
  if (frame.kind == FrameKind::kPython && frame.file != 0) {
    const std::string_view file = strings.Get(frame.file);
    label += fmt::format(" ({}", file.substr(file.rfind('/') + 1));
    label += frame.line == 0 ? ")" : fmt::format(":{})", frame.line);
  } else if (frame.line != 0) {
    label += fmt::format(":{}", frame.line);
  }
  return label;
}

std::vector<StackWeight> WeighStacks(const Profile& profile, EventId event) {
  std::vector<StackWeight> weights(profile.stacks.Size());
  for (const Sample& sample : profile.samples) {
    if (sample.event != event) continue;
    AddSaturated(sample.weight, &weights[sample.stack].weight);
    AddSaturated(sample.count, &weights[sample.stack].count);
  }
  return weights;
}

ProfileTimes TimesOfSamples(const Profile& profile) {
  ProfileTimes times;
  for (const Sample& sample : profile.samples) {
    if (sample.time_ns == kNoTime) continue;
    const int64_t end_ns =
        sample.time_ns > INT64_MAX - profile.bucket_ns ? INT64_MAX : sample.time_ns + profile.bucket_ns;
    times.start_ns = times.start_ns == kNoTime ? sample.time_ns : std::min(times.start_ns, sample.time_ns);
    times.end_ns = times.end_ns == kNoTime ? end_ns : std::max(times.end_ns, end_ns);
  }
  if (profile.start_ns != kNoTime && times.start_ns != kNoTime)
    times.start_ns = std::min(times.start_ns, profile.start_ns);
  return times;
}

EventId DefaultEventOf(const Profile& profile) {
  for (const Event event : kAllEvents) {
    if (const EventId row = profile.Row(event); row != kNoEvent) return row;
  }
  return 0;
}

}  // namespace sparkprof

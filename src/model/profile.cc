// SPDX-License-Identifier: Apache-2.0
#include "model/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/saturate.h"

namespace sparkprof {

Result<uint32_t> Profile::FindEvent(std::string_view event_name) const {
  std::vector<std::string_view> known;
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (events[row].name == event_name) return row;
    known.emplace_back(events[row].name);
  }
  // perf's modifiers may be left out: "cycles" finds "cycles:ppp".
  for (uint32_t row = 0; row < events.size() && !event_name.empty(); ++row) {
    const std::string_view known_name = events[row].name;
    if (known_name.starts_with(event_name) && known_name.substr(event_name.size()).starts_with(':') &&
        known_name.find_first_not_of("ukhIGHpPSDeW", event_name.size() + 1) == std::string_view::npos) {
      return row;
    }
  }
  if (events.empty()) return Fail(fmt::format("{}: there are no samples", name));
  if (event_name.empty()) return default_event;
  return Fail(fmt::format("{}: there are no {} samples; there are: {}", name, event_name, fmt::join(known, ", ")));
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

std::vector<StackWeight> WeighStacks(const Profile& profile, uint32_t event) {
  std::vector<StackWeight> weights(profile.stacks.Size());
  for (const ProfileSample& sample : profile.samples) {
    if (sample.event != event) continue;
    AddSaturated(sample.weight, &weights[sample.stack].weight);
    AddSaturated(sample.count, &weights[sample.stack].count);
  }
  return weights;
}

}  // namespace sparkprof

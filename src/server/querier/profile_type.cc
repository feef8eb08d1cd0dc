// SPDX-License-Identifier: Apache-2.0
#include "server/querier/profile_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text/text.h"

namespace sparkprof {
namespace {

// Events for which Grafana has a title and a unit.
struct KnownType {
  Event event;
  std::string_view name, sample_type, period_type, period_unit;
};
constexpr KnownType kKnownTypes[] = {
    {Event::kCpu, "process_cpu", "cpu", "cpu", "nanoseconds"},
    {Event::kAlloc, "memory", "alloc_in_new_tlab_bytes", "", ""},
    {Event::kLive, "memory", "inuse_space", "space", "bytes"},
    {Event::kLock, "block", "delay", "contentions", "count"},
};

std::string TypeUnit(const std::string& unit) { return unit == "ns" ? "nanoseconds" : unit; }

// Colons separate the parts of an ID.
std::string WithoutColons(std::string text) {
  std::replace(text.begin(), text.end(), ':', '_');
  return text;
}

}  // namespace

std::string ProfileType::Id() const {
  return fmt::format("{}:{}:{}:{}:{}", name, sample_type, sample_unit, period_type, period_unit);
}

ProfileType ProfileTypeOf(const std::string& event, const std::string& unit) {
  const std::string type_unit = WithoutColons(ToUtf8(TypeUnit(unit)));
  for (const KnownType& known : kKnownTypes) {
    if (EventName(known.event) != event || EventUnit(known.event) != unit) continue;
    return {std::string(known.name), std::string(known.sample_type), type_unit, std::string(known.period_type),
            std::string(known.period_unit)};
  }
  const std::string name = WithoutColons(ToUtf8(event));
  return {name, name, type_unit, name, type_unit};
}

EventId FindProfileType(const Profile& profile, const std::string& id) {
  for (EventId row = 0; row < profile.EventCount(); ++row) {
    if (ProfileTypeOf(profile.events[row].name, profile.events[row].unit).Id() == id) return row;
  }
  return kNoEvent;
}

}  // namespace sparkprof

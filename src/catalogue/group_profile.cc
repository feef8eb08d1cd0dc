// SPDX-License-Identifier: Apache-2.0
#include "catalogue/group_profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace sparkprof {

Profile GroupProfile(const GroupRange& range, const std::string& event, const std::vector<GroupEvent>& samples,
                     const StackDictionary& dictionary) {
  const auto fewer = [](const GroupEvent& a, const GroupEvent& b) { return a.stacks.Count() < b.stacks.Count(); };
  const auto most = std::max_element(samples.begin(), samples.end(), fewer);
  Profile profile;
  if (most == samples.end() || most->stacks.Count() == 0) {
    const std::optional<Event> own = ParseEvent(event);
    profile.events.push_back({.name = event, .unit = std::string(own ? EventUnit(*own) : "count")});
  } else {
    profile = most->stacks.ToProfile(dictionary, {.name = event, .unit = most->unit});
    for (const GroupEvent& other : samples) {
      if (&other == &*most || other.stacks.Count() == 0) continue;
      profile.notes.push_back(fmt::format("{}: {} samples of {} in {} not shown with those in {}", range.group,
                                          other.stacks.Count(), event, other.unit, most->unit));
    }
  }
  profile.name = range.group;
  return profile;
}

}  // namespace sparkprof

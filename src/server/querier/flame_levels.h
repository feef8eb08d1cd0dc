// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/samples/profile.h"

namespace sparkprof {

// A flame graph in the format of Pyroscope's clients. Each level is a list of bars from left to right; a bar consists
// of the distance from the end of the previous bar, the total and own weight, and the index of the name. In a
// comparison, the first three numbers occur twice, first for the base event.
struct FlameLevels {
  std::vector<std::string> names;            // names[0] is "total", the root
  std::vector<std::vector<int64_t>> levels;  // empty without samples
  int64_t total = 0;                         // sum of both sides
  int64_t max_self = 0;
  int64_t base_total = 0, event_total = 0;
};

// Keeps the `max_nodes` frames with the largest totals and merges the others below a frame into one bar "other".
// Requires nonnegative weights.
FlameLevels MakeFlameLevels(const Profile& profile, EventId event, std::optional<EventId> base_event, size_t max_nodes);

// Keeps samples whose stacks begin with these names from MakeFlameLevels, without "total".
void KeepCallSite(const std::vector<std::string>& call_site, Profile* profile);

}  // namespace sparkprof

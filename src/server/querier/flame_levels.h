// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/samples/profile.h"

namespace sparkprof {

// A flame graph as Pyroscope's clients draw it. Each level is a list of bars, left to right, and each bar a sequence of
// numbers: the distance from the end of the previous bar of the level, the total and the own weight, and the row of the
// name. Bars of a comparison have the first three numbers twice, of the base event first.
struct FlameLevels {
  std::vector<std::string> names;            // names[0] is "total", the root
  std::vector<std::vector<int64_t>> levels;  // empty without samples
  int64_t total = 0;                         // of both sides
  int64_t max_self = 0;
  int64_t base_total = 0, event_total = 0;
};

// Keeps the `max_nodes` frames with the largest totals; the other callees of a frame are one bar "other". The samples
// must not be negative.
FlameLevels MakeFlameLevels(const Profile& profile, EventId event, std::optional<EventId> base_event, size_t max_nodes);

// Keeps the samples whose stacks begin with these names of MakeFlameLevels, without "total".
void KeepCallSite(const std::vector<std::string>& call_site, Profile* profile);

}  // namespace sparkprof

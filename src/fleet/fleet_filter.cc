// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_filter.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include "analysis/selection/time_range.h"
#include "fleet/fleet_rows.h"

namespace sparkprof {
namespace {

bool Matches(const std::string& pattern, const std::string& text) {
  return pattern.empty() || fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

bool FleetFilter::Accepts(const Application& application) const {
  const TimeRange range = RangeOf(application);
  if (since_ns > 0 && range.end_ns < since_ns) return false;
  if (until_ns > 0 && range.start_ns >= until_ns) return false;
  return Matches(user, application.user) && Matches(name, application.name) &&
         Matches(queue, std::string(QueueOf(application)));
}

std::string FleetFilter::Text() const {
  if (since_ns == 0 && until_ns == 0 && user.empty() && queue.empty() && name.empty()) return {};
  return fmt::format("{} {}\nuser {}\nqueue {}\nname {}", since_ns, until_ns, user, queue, name);
}

}  // namespace sparkprof

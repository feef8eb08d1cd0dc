// SPDX-License-Identifier: Apache-2.0
#include "model/default_event.h"

namespace sparkprof {

EventId DefaultEventOf(const Profile& profile) {
  for (const Event event : kAllEvents) {
    if (const EventId row = profile.Row(event); row != kNoEvent) return row;
  }
  return 0;
}

}  // namespace sparkprof

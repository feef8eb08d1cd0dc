// SPDX-License-Identifier: Apache-2.0
#include "model/default_event.h"

namespace sparkprof {

uint32_t DefaultEventOf(const Profile& profile) {
  for (const Event event : kAllEvents) {
    for (uint32_t row = 0; row < profile.events.size(); ++row) {
      if (profile.events[row].name == EventName(event)) return row;
    }
  }
  return 0;
}

}  // namespace sparkprof

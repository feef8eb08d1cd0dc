// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/profile.h"

namespace sparkprof {

// The row of the default event, for formats without one: the first in the order of kAllEvents, else the first row.
EventId DefaultEventOf(const Profile& profile);

}  // namespace sparkprof

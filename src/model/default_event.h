// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/profile.h"

namespace sparkprof {

// The row of the event that is shown when none is asked for, of a format that does not say: the first in the order of
// kAllEvents, else the first that there is.
EventId DefaultEventOf(const Profile& profile);

}  // namespace sparkprof

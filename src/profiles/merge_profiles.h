// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Whether two events count the same thing, as far as their names show. Formats without a name for their event call it
// "samples".
bool HaveSameName(const ProfileEvent& a, const ProfileEvent& b);

struct MergeOptions {
  std::string event;  // the event to add up; empty = the default of each input
  // Without `event`: leave out inputs whose events cannot be added instead of failing. The event is the one that most
  // inputs have; of several, that which comes first in kAllEvents, then in the inputs.
  bool leave_out = false;
  bool by_input = false;    // each input gets a root frame with its name
  ProfileReadOptions read;  // what was kept of the inputs
};

struct MergedProfile {
  Profile profile;
  size_t inputs = 0;                       // that have such samples
  std::vector<std::string> without_event;  // one sentence for each input without such samples, if others have some
};

// Adds up several profiles. Fails if their events cannot be added: they have different units, or different names
// without MergeOptions::event.
Result<MergedProfile> MergeProfiles(std::vector<Profile> inputs, const MergeOptions& options);

}  // namespace sparkprof

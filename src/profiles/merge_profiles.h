// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/samples/profile.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// Whether the names indicate that two events count the same thing. Formats without event names call theirs "samples".
bool HaveSameName(const ProfileEvent& a, const ProfileEvent& b);

struct MergeOptions {
  std::string event;  // event to sum up; empty = the default of each input
  // If `event` is missing, skips inputs whose events cannot be added, instead of failing. Uses the event that most
  // inputs have; among several, the first in kAllEvents, then in the inputs.
  bool leave_out = false;
  bool by_input = false;    // add a root frame with the input's name
  ProfileReadOptions read;  // data that was kept when reading the inputs
};

struct MergedProfile {
  Profile profile;
  size_t inputs = 0;                       // number of inputs with such samples
  std::vector<std::string> without_event;  // one sentence per input without such samples, if others have some
};

// Sums several profiles. Fails if their events cannot be added: they have different units, or different names without
// MergeOptions::event.
Result<MergedProfile> MergeProfiles(std::vector<Profile> inputs, const MergeOptions& options);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/stack_dictionary.h"

namespace sparkprof {

// Samples of one event and unit. Units differ if a group contains profiles of several tools.
struct GroupEvent {
  std::string unit;
  StackSums stacks;
};

// Result of Catalogue::GroupSamples: uses the unit with the most samples; a note counts the others. All stacks must be
// in the dictionary.
Profile GroupProfile(const GroupRange& range, const std::string& event, const std::vector<GroupEvent>& samples,
                     const StackDictionary& dictionary);

}  // namespace sparkprof

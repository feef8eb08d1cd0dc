// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/stack_dictionary.h"

namespace sparkprof {

// The samples of a range that count one event in one unit. Units differ where profiles of several tools are in a group.
struct GroupEvent {
  std::string unit;
  StackSums stacks;
};

// The result of Catalogue::GroupSamples: samples of the unit with the most samples; a note counts the others. All
// stacks must be in the dictionary.
Profile GroupProfile(const GroupRange& range, const std::string& event, const std::vector<GroupEvent>& samples,
                     const StackDictionary& dictionary);

}  // namespace sparkprof

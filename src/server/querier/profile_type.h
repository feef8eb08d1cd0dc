// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/samples/profile.h"

namespace sparkprof {

// An event in the naming of Pyroscope's clients. They draw it according to the ID: types of time and of allocated bytes
// are divided by the step, types of memory in use are not.
struct ProfileType {
  std::string name;
  std::string sample_type;
  std::string sample_unit;  // "nanoseconds", "bytes" or "count"
  std::string period_type;
  std::string period_unit;

  // Its five parts, separated by colons: "process_cpu:cpu:nanoseconds:cpu:nanoseconds".
  std::string Id() const;
};

// Events with different names or units have different types.
ProfileType ProfileTypeOf(const std::string& event, const std::string& unit);

// The event with this type; kNoEvent if the profile has none.
EventId FindProfileType(const Profile& profile, const std::string& id);

}  // namespace sparkprof

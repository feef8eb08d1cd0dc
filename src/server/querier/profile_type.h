// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/samples/profile.h"

namespace sparkprof {

// An event as Pyroscope's clients name it. They decide by the ID how to draw it: types of time and allocated bytes are
// divided by the step, those of memory in use are not.
struct ProfileType {
  std::string name;
  std::string sample_type;
  std::string sample_unit;  // "nanoseconds", "bytes" or "count"
  std::string period_type;
  std::string period_unit;

  // The five parts with colons between them: "process_cpu:cpu:nanoseconds:cpu:nanoseconds".
  std::string Id() const;
};

// Events with different names or units have different types.
ProfileType ProfileTypeOf(const std::string& event, const std::string& unit);

// The row of the event with this type; kNoEvent if the profile has none.
EventId FindProfileType(const Profile& profile, const std::string& id);

}  // namespace sparkprof

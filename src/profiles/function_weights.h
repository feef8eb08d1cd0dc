// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.h"

namespace sparkprof {

// Functions of a profile's frames, independent of lines and compilation: Python and native functions by name and file,
// others by name.
class Functions {
 public:
  explicit Functions(const Profile& profile);

  uint32_t Of(FrameId frame) const { return of_frame_[frame]; }
  // The function's first frame, without the line.
  const Frame& Get(uint32_t function) const { return functions_[function]; }
  size_t Size() const { return functions_.size(); }

 private:
  std::vector<uint32_t> of_frame_;
  std::vector<Frame> functions_;
};

struct FunctionWeight {
  uint32_t function = 0;
  int64_t self = 0;
  int64_t total = 0;  // sum over samples with the function in the stack, each counted once
};

// One per function, over these rows of the profile's samples.
std::vector<FunctionWeight> WeighFunctions(const Profile& profile, const Functions& functions,
                                           const std::vector<uint32_t>& rows);

// The `limit` functions with the largest self weight, largest first. Omits functions without self weight.
std::vector<FunctionWeight> TopFunctions(std::vector<FunctionWeight> weights, size_t limit);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.h"

namespace sparkprof {

// The functions of a profile's frames, regardless of lines and compilation: Python and native functions by name and
// file, others by name.
class Functions {
 public:
  explicit Functions(const Profile& profile);

  uint32_t Of(FrameId frame) const { return of_frame_[frame]; }
  // The frame that it was first seen as, without its line.
  const Frame& Get(uint32_t function) const { return functions_[function]; }
  size_t Size() const { return functions_.size(); }

 private:
  std::vector<uint32_t> of_frame_;
  std::vector<Frame> functions_;
};

struct FunctionWeight {
  uint32_t function = 0;
  int64_t self = 0;
  int64_t total = 0;  // of samples with the function anywhere in the stack, each counted once
};

// One for each function, of these rows of the profile's samples.
std::vector<FunctionWeight> WeighFunctions(const Profile& profile, const Functions& functions,
                                           const std::vector<uint32_t>& rows);

// The `limit` functions with the largest self weight, largest first; functions without self weight are omitted.
std::vector<FunctionWeight> TopFunctions(std::vector<FunctionWeight> weights, size_t limit);

}  // namespace sparkprof

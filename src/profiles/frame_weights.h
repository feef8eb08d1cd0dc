// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/samples/profile.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

struct FrameWeight {
  FrameId frame = 0;
  StackWeight self;
  StackWeight total;                  // sum over stacks with the frame, each counted once
  StackWeight base_self, base_total;  // weights in the tree's base event; 0 without one
};

// One per frame of the tree, in the order of the frame table.
std::vector<FrameWeight> WeighFrames(const Profile& profile, const StackTree& tree);

// Functions of a profile's frames, independent of lines and compilation: Python and native functions by name and file,
// others by name.
class Functions {
 public:
  explicit Functions(const Profile& profile);

  uint32_t Of(FrameId frame) const { return of_frame_[frame]; }
  // Its first frame, without the line.
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

std::vector<FunctionWeight> WeighFunctions(const Profile& profile, const Functions& functions,
                                           const std::vector<uint32_t>& rows);

// The `limit` functions with the largest self weight, largest first. Omits functions without self weight.
std::vector<FunctionWeight> TopFunctions(std::vector<FunctionWeight> weights, size_t limit);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "model/profile_builder.h"

namespace sparkprof {

// How many frames the stacks of an input may have together. Where stacks refer to locations and these to many lines of
// inlined calls, a few bytes repeat millions of frames.
class FrameAllowance {
 public:
  explicit FrameAllowance(size_t input_bytes) : most_(kLeast + kOfByte * input_bytes) {}

  // Whether a stack may have `count` more.
  bool Take(size_t count) {
    used_ += count;
    return used_ <= most_;
  }

  // Fails if more were taken than there are.
  Result<void> Check(ProfileBuilder* builder) const {
    if (used_ <= most_) return {};
    return builder->TooLarge(fmt::format("its stacks have more than {} frames", most_));
  }

 private:
  // A reference takes a byte or more; real locations have one to ten lines.
  static constexpr uint64_t kOfByte = 64;
  static constexpr uint64_t kLeast = 1'000'000;

  const uint64_t most_;
  uint64_t used_ = 0;
};

}  // namespace sparkprof

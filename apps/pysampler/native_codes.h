// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "code_table.h"
#include "cpython/ring/ring_writer.h"
#include "unwind/stack_unwinder.h"

namespace sparkprof {

// Converts native frames to code IDs, defined in the ring on first use. Fixed size; does not allocate. Not thread-safe.
class NativeCodes {
 public:
  static constexpr size_t kCodes = 8192;
  static constexpr uint32_t kFirst = CodeTable::kCodes;  // IDs below belong to Python functions
  static constexpr size_t kMaxFresh = 512;
  static_assert(kFirst + kCodes <= kRingMaxCodes);

  void Begin() { fresh_ = 0; }
  uint32_t Find(const NativeFrame& frame, RingWriter* ring);
  // ID of the placeholder for unknown frames.
  uint32_t Unknown(RingWriter* ring) { return Find({}, ring); }
  // Keeps or drops the definitions since Begin.
  void End(bool published) {
    if (!published && fresh_ > 0) Clear();
    fresh_ = 0;
  }
  void Clear();
  // Number of Clears; IDs from earlier generations may refer to other code.
  uint32_t Generation() const { return generation_; }
  bool IsFull() const { return used_ + kMaxFresh > kCodes; }

 private:
  uint64_t keys_[kCodes] = {};  // 0 = unused slot; the ID is kFirst plus the slot's position
  size_t used_ = 0;
  size_t fresh_ = 0;
  uint32_t generation_ = 0;
};

}  // namespace sparkprof

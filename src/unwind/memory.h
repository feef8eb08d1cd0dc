// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparkprof {

// Memory of the unwound process. Its addresses are never trusted.
class UnwindMemory {
 public:
  virtual ~UnwindMemory() = default;

  // Copies `size` bytes at `address`; returns false if not all are readable. For tables and code, which do not change.
  virtual bool ReadTable(uint64_t address, void* bytes, size_t size) = 0;
  // Like ReadTable, for the stack at the time of the sample.
  virtual bool ReadStack(uint64_t address, void* bytes, size_t size) = 0;
};

}  // namespace sparkprof

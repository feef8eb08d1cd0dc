// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparkprof {

// The memory of the process that is unwound. Addresses come from there and are never trusted.
class UnwindMemory {
 public:
  virtual ~UnwindMemory() = default;

  // Copies `size` bytes at `address`; false if not all of them can be read. Tables and code: the same at any time.
  virtual bool ReadTable(uint64_t address, void* bytes, size_t size) = 0;
  // Likewise, of the stack as it was when the thread was sampled.
  virtual bool ReadStack(uint64_t address, void* bytes, size_t size) = 0;
};

}  // namespace sparkprof

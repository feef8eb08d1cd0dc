// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sparkprof {

// Sampled memory blocks that were not freed yet, by address. MayHave is for any thread, the rest for one at a time.
// Fixed size, for zeroed memory (mmap); does not allocate.
class LiveBlocks {
 public:
  static constexpr size_t kMax = 1 << 16;

  // Whether the block may be here; false for nearly all others. Call it for a block before it is freed.
  bool MayHave(uint64_t address) const { return filter_[FilterSlot(address)].load(std::memory_order_relaxed) != 0; }

  // `number` is not 0. Returns false if the table is full. Replaces the number of a block that is already here.
  bool Add(uint64_t address, uint64_t number);
  // Returns the block's number; 0 = it is not here.
  uint64_t Remove(uint64_t address);

  size_t Size() const { return size_; }

 private:
  static constexpr size_t kSlots = 2 * kMax;
  static constexpr int kFilterBits = 16;
  static constexpr uint8_t kMany = UINT8_MAX;  // a counter that reached this value keeps it

  struct Block {
    uint64_t address;  // 0 = unused slot
    uint64_t number;
  };

  static size_t FilterSlot(uint64_t address) { return address * 0x9E37'79B9'7F4A'7C15 >> (64 - kFilterBits); }
  static size_t FirstSlot(uint64_t address);

  std::atomic<uint8_t> filter_[size_t{1} << kFilterBits];  // number of blocks per slot
  Block blocks_[kSlots];
  size_t size_ = 0;
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "live_blocks.h"

#include "base/hash_index.h"

namespace sparkprof {

size_t LiveBlocks::FirstSlot(uint64_t address) { return MixHash(address) % kSlots; }

bool LiveBlocks::Add(uint64_t address, uint64_t number) {
  size_t slot = FirstSlot(address);
  while (blocks_[slot].address != 0 && blocks_[slot].address != address) slot = (slot + 1) % kSlots;
  if (blocks_[slot].address == address) {
    blocks_[slot].number = number;
    return true;
  }
  if (size_ == kMax) return false;
  blocks_[slot] = {address, number};
  ++size_;
  std::atomic<uint8_t>& count = filter_[FilterSlot(address)];
  const uint8_t before = count.load(std::memory_order_relaxed);
  if (before != kMany) count.store(static_cast<uint8_t>(before + 1), std::memory_order_relaxed);
  return true;
}

uint64_t LiveBlocks::Remove(uint64_t address) {
  size_t slot = FirstSlot(address);
  while (blocks_[slot].address != 0 && blocks_[slot].address != address) slot = (slot + 1) % kSlots;
  if (blocks_[slot].address == 0) return 0;
  const uint64_t number = blocks_[slot].number;
  --size_;
  std::atomic<uint8_t>& count = filter_[FilterSlot(address)];
  const uint8_t before = count.load(std::memory_order_relaxed);
  if (before != kMany) count.store(static_cast<uint8_t>(before - 1), std::memory_order_relaxed);
  // Moves later blocks of the same run into the gap, so that searches need no marks of removed blocks.
  size_t gap = slot;
  for (size_t next = (gap + 1) % kSlots; blocks_[next].address != 0; next = (next + 1) % kSlots) {
    const size_t distance = (next - FirstSlot(blocks_[next].address) + kSlots) % kSlots;
    if (distance < (next - gap + kSlots) % kSlots) continue;
    blocks_[gap] = blocks_[next];
    gap = next;
  }
  blocks_[gap].address = 0;
  return number;
}

}  // namespace sparkprof

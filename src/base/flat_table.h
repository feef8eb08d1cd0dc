// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparkprof {

// An open-addressing hash table with keys and values in its slots, so a lookup touches one cache line. A Slot provides
// `bool IsUsed() const`, `uint64_t Hash() const` and `bool HasKeyOf(const Slot&) const`. Pointers to slots stay valid
// until the next Insert. Not thread-safe.
template <typename Slot>
class FlatTable {
 public:
  Slot* Find(const Slot& wanted) {
    if (slots_.empty()) return nullptr;
    Slot& slot = slots_[Locate(wanted)];
    return slot.IsUsed() ? &slot : nullptr;
  }

  // Prefetches the slot for an upcoming Find or Insert, so that a series of lookups waits for memory once.
  void Prefetch(const Slot& wanted) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[wanted.Hash() & (slots_.size() - 1)]);
  }

  // Adds `slot` unless its key exists.
  void Insert(const Slot& slot) {
    if ((count_ + 1) * 2 > slots_.size()) Grow((count_ + 1) * 2);
    Slot& place = slots_[Locate(slot)];
    if (place.IsUsed()) return;
    place = slot;
    ++count_;
  }

  // Makes room for `count` more.
  void Reserve(size_t count) {
    if ((count_ + count) * 2 > slots_.size()) Grow((count_ + count) * 2);
  }

  size_t Size() const { return count_; }

  // Calls `use(slot)` for each used slot, in arbitrary order.
  template <typename Use>
  void ForEach(Use&& use) const {
    for (const Slot& slot : slots_) {
      if (slot.IsUsed()) use(slot);
    }
  }

 private:
  size_t Locate(const Slot& wanted) const {
    const size_t mask = slots_.size() - 1;
    size_t i = wanted.Hash() & mask;
    while (slots_[i].IsUsed() && !slots_[i].HasKeyOf(wanted)) i = (i + 1) & mask;
    return i;
  }

  void Grow(size_t least) {
    size_t size = 16;
    while (size < least) size *= 2;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.IsUsed()) slots_[Locate(slot)] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace sparkprof

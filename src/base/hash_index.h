// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparkprof {

// A hash table of IDs into a table that the caller owns: the building block of all interning tables. Stores no keys;
// the caller compares. Allocates only to grow. Not thread-safe.
class HashIndex {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  // The ID inserted under `hash` for which `equal(id)` holds, or kNone.
  template <typename Equal>
  uint32_t Find(uint64_t hash, Equal&& equal) const {
    if (slots_.empty()) return kNone;
    const uint32_t tag = Tag(hash);
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.id == kNone) return kNone;
      if (slot.tag == tag && equal(slot.id)) return slot.id;
    }
  }

  // Prefetches for an upcoming Find.
  void Prefetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask_]);
  }

  // Adds `id`, which must not be present. `rehash(id)` returns the hash of an inserted ID.
  template <typename Rehash>
  void Insert(uint64_t hash, uint32_t id, Rehash&& rehash) {
    if ((count_ + 1) * 2 > slots_.size()) Grow(rehash);
    Place(hash, id);
    ++count_;
  }

  void Clear() {
    slots_.clear();
    count_ = 0;
    mask_ = 0;
  }

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t id = kNone;
  };

  static uint32_t Tag(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  void Place(uint64_t hash, uint32_t id) {
    size_t i = hash & mask_;
    while (slots_[i].id != kNone) i = (i + 1) & mask_;
    slots_[i] = {Tag(hash), id};
  }

  template <typename Rehash>
  void Grow(Rehash&& rehash) {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id != kNone) Place(rehash(slot.id), slot.id);
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
  size_t mask_ = 0;
};

// A well-mixed hash of one 64-bit value (the finalizer of MurmurHash3, public domain).
inline uint64_t MixHash(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return x;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash_index.h"
#include "formats/jfr/jfr_plan.h"

namespace sparkprof {

// The constants of one type: the position of each key's record in the chunk, and a value cached by the user of the
// pool.
class JfrPool {
 public:
  static constexpr uint32_t kNotResolved = std::numeric_limits<uint32_t>::max();

  struct Entry {
    uint64_t key = 0;
    uint32_t position = 0;
    uint32_t size = 0;                 // record size
    uint32_t resolved = kNotResolved;  // the user's: an id of a stack, a string, …
  };

  explicit JfrPool(const JfrPlan* plan) : plan_(plan) {}

  const JfrPlan& Plan() const { return *plan_; }
  // In file order; of duplicate keys, Find returns the first.
  std::span<Entry> Entries() { return entries_; }
  Entry* Find(uint64_t key);

  void Add(uint64_t key, uint32_t position, uint32_t size) { entries_.push_back({key, position, size}); }
  void Reserve(size_t count) { entries_.reserve(entries_.size() + count); }
  // All were added; before it nothing is found.
  void BuildIndex();

 private:
  const JfrPlan* plan_;
  std::vector<Entry> entries_;
  // Writers number constants consecutively, so key minus least_key_ is an index of places_, which has the entry's
  // position + 1 (0 = none). Other keys are hashed.
  uint64_t least_key_ = 0;
  std::vector<uint32_t> places_;
  HashIndex hashed_;
};

// All constants of a chunk. Records are located now and decoded on demand.
class JfrConstants {
 public:
  JfrConstants(std::string_view chunk, const JfrMetadata* metadata, JfrPlanTable* plans)
      : chunk_(chunk), metadata_(metadata), plans_(plans) {}

  // Follows the chain of constant-pool events (type 1) backwards from the last one, at `position`: {size, type, start,
  // duration, offset of the previous event (0 = none), flags, pools of {type, constants of {key, record}}}. The newest
  // record of a key applies. Of a damaged event, everything before the damage is kept. Returns the number of damaged
  // events.
  uint64_t Read(size_t position);

  // Null when the chunk has no constant of that type.
  JfrPool* Find(uint64_t type);
  JfrPool* FindByName(std::string_view type_name);

  // Reads the constant's record; false, with `values` unchanged, if there is none.
  bool ReadConstant(JfrPool* pool, uint64_t key, JfrValues* values) const;

  // The text of a field that `step` read as `value`: a string in the record, or the first string of the constant it
  // refers to (a symbol, a thread state, …). Points into the chunk or into `scratch`; empty if there is none.
  std::string_view Text(const JfrStep* step, int64_t value, std::string* scratch);
  std::string_view RecordText(JfrPool* pool, uint64_t key, std::string* scratch);

 private:
  uint64_t ReadEvents(size_t position);
  bool ReadEvent(size_t position, int64_t* offset_of_previous);
  bool ReadPools(JfrCursor* cursor);
  std::string_view TextAt(size_t position, int depth, std::string* scratch);
  std::string_view RecordTextAt(JfrPool* pool, uint64_t key, int depth, std::string* scratch);

  std::string_view chunk_;
  const JfrMetadata* metadata_;
  JfrPlanTable* plans_;
  std::unordered_map<uint64_t, JfrPool> pools_;  // by type; elements stay where they are
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/flat_table.h"
#include "base/hash_index.h"

namespace sparkprof {

// A sequence of templates that a log repeats.
struct LogChunk {
  struct Place {
    uint32_t file = 0;
    int64_t line = 0;
    int64_t time_ns = 0;
  };
  int64_t repeats = 0;
  std::vector<uint32_t> templates;  // in the order of one repetition, with duplicates
  std::vector<Place> where;         // the first template's first kMaxPlaces places
  int64_t first_ns = 0;
  int64_t last_ns = 0;
};

// Finds repeated sequences of log records, with any records in between: templates belong together if they are equally
// frequent (or a small multiple) and nearly each record of the first is followed by one of the second within a short
// window of its stream. A stream is the records of one thread if the log names threads. Lines of other threads, and
// several threads with the same sequence, do not matter. Linear time, bounded memory. Not thread-safe.
class ChunkFinder {
 public:
  static constexpr size_t kMaxPlaces = 20;

  void Add(uint32_t template_id, uint32_t file, std::string_view thread, int64_t line, int64_t time_ns);

  // Most repeated first, then longest first.
  std::vector<LogChunk> Chunks() const;

 private:
  static constexpr size_t kWindow = 32;

  struct Occurrence {
    uint32_t template_id = 0;
    uint32_t stream = 0;
  };
  struct Stream {
    uint64_t key = 0;
    Occurrence window[kWindow];
    int64_t positions[kWindow] = {};
    size_t size = 0;
    size_t next = 0;
  };
  struct Template {
    int64_t count = 0;
    std::vector<LogChunk::Place> places;
    std::vector<uint64_t> positions;  // in sequence_, the first ones
    int64_t first_ns = 0;
    int64_t last_ns = 0;
  };
  struct Pair {
    uint64_t key = 0;
    int64_t matched = 0;  // position of the last first that has its second
    int64_t second = 0;   // position of the last second
    uint32_t count = 0;
    bool IsUsed() const { return key != 0; }
    uint64_t Hash() const { return key; }
    bool HasKeyOf(const Pair& other) const { return key == other.key; }
  };

  static uint64_t PairKey(uint32_t first, uint32_t second) { return MixHash(uint64_t{first} << 32 | second) | 1; }
  int64_t PairCount(uint32_t first, uint32_t second) const;
  Stream* StreamOf(uint32_t file, std::string_view thread);
  LogChunk MakeChunk(const std::vector<std::pair<uint32_t, int64_t>>& members) const;

  std::vector<Template> templates_;  // by id
  std::vector<Occurrence> sequence_;
  std::vector<Stream> streams_;
  std::unordered_map<uint64_t, uint32_t> stream_index_;
  mutable FlatTable<Pair> pairs_;  // by the two templates: how often they were matched
  FlatTable<Pair> open_;           // by stream and the two templates: what is matched so far
  int64_t position_ = 0;
};

}  // namespace sparkprof

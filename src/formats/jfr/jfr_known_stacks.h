// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/flat_table.h"
#include "base/hash_index.h"
#include "model/samples/stack_table.h"

namespace sparkprof {

// Maps the frames and stacks of earlier chunks to the caller's tables. A profiler writes a stack again in every chunk
// that samples it, with the same bytes as long as its IDs refer to the same methods; then its frames need not be parsed
// again. Uses 24 bytes per distinct stack. Belongs to one set of tables.
class JfrKnownStacks {
 public:
  // A frame of a chunk and its row.
  struct KnownFrame {
    uint64_t method = 0;
    uint32_t line_and_kind = 0;
    FrameId frame = 0;

    bool IsUsed() const { return frame != 0; }
    // Cheap, because every frame of every new stack is looked up; methods and lines are small numbers close together.
    uint64_t Hash() const { return (method * 0x9E3779B97F4A7C15 + line_and_kind * 0xC2B2AE3D27D4EB4F) >> 32; }
    bool HasKeyOf(const KnownFrame& other) const {
      return method == other.method && line_and_kind == other.line_and_kind;
    }
  };

  // Identifies a stack: a hash of 128 bits over its record's bytes.
  struct RecordHash {
    uint64_t low = 0;
    uint64_t high = 0;
  };
  static RecordHash HashRecord(std::string_view record);

  // The method that an ID refers to in a chunk, as a hash.
  struct KnownMethod {
    uint64_t method = 0;
    uint64_t meaning = 0;
    bool is_used = false;

    bool IsUsed() const { return is_used; }
    uint64_t Hash() const { return MixHash(method); }
    bool HasKeyOf(const KnownMethod& other) const { return method == other.method; }
  };

  // Starts a chunk whose records have the layout `layout` (a hash). Forgets everything if the layout is new or one of
  // `methods` referred to something else.
  void BeginChunk(uint64_t layout, const std::vector<KnownMethod>& methods);

  bool HasStacks() const { return stacks_.Size() > 0; }
  void Prefetch(const RecordHash& record) const { stacks_.Prefetch({.record = record}); }
  std::optional<StackId> Stack(const RecordHash& record);
  void AddStack(const RecordHash& record, StackId stack) { stacks_.Insert({record, stack, true}); }

  FlatTable<KnownFrame>& Frames() { return frames_; }

 private:
  struct KnownStack {
    RecordHash record;
    StackId stack = 0;
    bool is_used = false;

    bool IsUsed() const { return is_used; }
    uint64_t Hash() const { return record.low; }
    bool HasKeyOf(const KnownStack& other) const {
      return record.low == other.record.low && record.high == other.record.high;
    }
  };
  uint64_t layout_ = 0;
  FlatTable<KnownMethod> methods_;
  FlatTable<KnownFrame> frames_;
  FlatTable<KnownStack> stacks_;
};

}  // namespace sparkprof

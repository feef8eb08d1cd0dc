// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// State of an RDD's block on one executor after a change; without bytes, it was removed.
struct BlockUpdate {
  int64_t rdd = -1;
  int64_t partition = -1;
  int64_t memory_bytes = 0;
  int64_t disk_bytes = 0;
};

// The state of a block with this ID ("rdd_12_3") from its "Storage Level", "Memory Size" and "Disk Size"; nullopt for
// blocks of other kinds.
std::optional<BlockUpdate> BlockUpdateOf(std::string_view block_id, const simdjson::dom::object& status);

// Decodes "Updated Blocks" of a task's metrics.
void DecodeUpdatedBlocks(const simdjson::dom::object& task_metrics, std::vector<BlockUpdate>* updates);

// Fills Application::cached_rdds: tracks the executors' blocks and their totals over time. A duplicate update, which
// some versions of Spark log both with the task and separately, has no effect.
class CachedBlocks {
 public:
  explicit CachedBlocks(Application* filled) : application_(filled) {}

  // The RDD with this ID, added if missing. Valid until the next call.
  CachedRdd& Rdd(int64_t id) { return application_->cached_rdds[Row(id)]; }

  void Set(const BlockUpdate& update, int32_t executor, int64_t time_ns);
  void RemoveExecutor(int32_t executor, int64_t time_ns);
  void Unpersist(int64_t rdd, int64_t time_ns);
  // Adds a loss if blocks exceeded the limit.
  void NoteLeftOut() const;

 private:
  struct Block {
    int64_t memory_bytes = 0;
    int64_t disk_bytes = 0;
  };
  struct BlocksOfRdd {
    std::unordered_map<uint64_t, Block> blocks;       // by partition and executor
    std::unordered_map<uint32_t, int32_t> copies_of;  // by partition
    StoredBlocks now;
  };

  size_t Row(int64_t id);
  void Change(BlocksOfRdd* of_rdd, uint64_t key, const Block& after);
  void Note(size_t row, int64_t time_ns);

  Application* application_;
  std::unordered_map<int64_t, size_t> rows_;  // by RDD
  std::vector<BlocksOfRdd> of_row_;           // parallel to Application::cached_rdds
  size_t block_count_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace sparkprof

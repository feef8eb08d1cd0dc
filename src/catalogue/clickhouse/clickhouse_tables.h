// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/clickhouse/row_binary.h"
#include "model/samples/profile.h"

namespace sparkprof {

// Part of the database name. Tables of other versions stay unchanged; the catalogue is rebuilt from recordings.
inline constexpr int kTablesVersion = 6;

struct TableText {
  const char* name;
  const char* columns;
  const char* engine;
  bool has_contents = false;  // its rows belong to an entry, and mean nothing after it
};

// The catalogue's tables in ClickHouse. Rows of an application are never changed: a Put inserts them under a new
// number, `entry`, and finally the row of the list, which makes them current, because inserting one row is atomic.
// `put` orders the rows of the list.
std::span<const TableText> ClickhouseTables();

// The engine of a table with replicas, whose servers have the macros {shard} and {replica}.
std::string ReplicatedEngine(const TableText& table, const std::string& database);

uint64_t ShardOf(const ApplicationKey& key);

// Reads a row of the list, as selected by catalogue_sql.h.
ApplicationRow TakeRow(RowBinaryReader* rows);

// Clamps a sum that overflowed in the database to the range of int64_t.
int64_t Saturated(int64_t exact, double about);

// Writes the stacks of an entry by hash, as rows of `frames` and `stacks`.
class StackRows {
 public:
  StackRows(const Profile& profile, uint64_t shard, std::unordered_set<uint64_t>* known, RowBinaryWriter* frames,
            RowBinaryWriter* stacks)
      : profile_(profile),
        shard_(shard),
        known_(known),
        frames_(frames),
        stacks_(stacks),
        frames_of_id_(profile.frames.Size()) {}

  uint64_t Add(StackId stack);

 private:
  uint64_t AddFrame(FrameId id);

  const Profile& profile_;
  uint64_t shard_;
  std::unordered_set<uint64_t>* known_;  // hash ^ shard of stacks in the database
  RowBinaryWriter* frames_;
  RowBinaryWriter* stacks_;
  std::vector<uint64_t> frames_of_id_;  // frame hashes; 0 = not computed
  std::vector<FrameId> ids_;
};

}  // namespace sparkprof

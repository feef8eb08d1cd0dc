// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/clickhouse/row_binary.h"
#include "model/profile.h"

namespace sparkprof {

// Part of the database's name: tables of another version are left alone, and rebuilt from recordings.
inline constexpr int kTablesVersion = 4;

struct TableText {
  const char* name;
  const char* columns;
  const char* engine;
};

// The tables of the catalogue in ClickHouse: rows of an application are never changed. A Put inserts them under a new
// number, `entry`, and then the row of the list, which makes them current: one insert of one row is all or nothing.
// `put` orders the rows of the list.
std::span<const TableText> ClickhouseTables();

// The shard with the rows of an application.
uint64_t ShardOf(const ApplicationKey& key);

// A row of the list, as the statements of catalogue_sql.h select it.
ApplicationRow TakeRow(RowBinaryReader* rows);

// A sum that the database has wrapped around, at the end of its range instead.
int64_t Saturated(int64_t exact, double about);

// Stacks of an entry by hash, as rows of `frames` and `stacks`.
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

  // The hash of the stack.
  uint64_t Add(StackId stack);

 private:
  uint64_t AddFrame(FrameId id);

  const Profile& profile_;
  uint64_t shard_;
  std::unordered_set<uint64_t>* known_;  // hash ^ shard of what the database has
  RowBinaryWriter* frames_;
  RowBinaryWriter* stacks_;
  std::vector<uint64_t> frames_of_id_;  // hash, 0 = not yet
  std::vector<FrameId> ids_;
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/cached_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxBlocks = 2'000'000;
constexpr size_t kMaxStored = 4096;  // maximum per RDD
constexpr int64_t kMaxBytes = int64_t{1} << 60;

uint64_t BlockKey(int64_t partition, int32_t executor) {
  return static_cast<uint64_t>(partition) << 32 | static_cast<uint32_t>(executor);
}

}  // namespace

std::optional<BlockUpdate> BlockUpdateOf(std::string_view block_id, const simdjson::dom::object& status) {
  const std::vector<std::string_view> parts = Split(block_id, '_');
  if (parts.size() != 3 || parts[0] != "rdd") return std::nullopt;
  const std::optional<int64_t> rdd = ParseInteger(parts[1]), partition = ParseInteger(parts[2]);
  if (!rdd || !partition || *rdd < 0 || *partition < 0 || *partition > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  BlockUpdate update{.rdd = *rdd, .partition = *partition};
  simdjson::dom::object level;
  if (!ObjectAt(status, "Storage Level", &level)) return update;
  // The size of a removed block is the one that it had.
  const auto bytes = [&](std::string_view use, std::string_view size) {
    return BooleanAt(level, use) ? std::clamp<int64_t>(IntegerAt(status, size, 0), 0, kMaxBytes) : 0;
  };
  update.memory_bytes = bytes("Use Memory", "Memory Size");
  update.disk_bytes = bytes("Use Disk", "Disk Size");
  return update;
}

void DecodeUpdatedBlocks(const simdjson::dom::object& task_metrics, std::vector<BlockUpdate>* updates) {
  simdjson::dom::array blocks;
  if (!ArrayAt(task_metrics, "Updated Blocks", &blocks)) return;
  for (const simdjson::dom::element element : blocks) {
    simdjson::dom::object block, status;
    if (element.get_object().get(block) != simdjson::SUCCESS || !ObjectAt(block, "Status", &status)) continue;
    if (const auto update = BlockUpdateOf(TextAt(block, "Block ID"), status)) updates->push_back(*update);
  }
}

size_t CachedBlocks::Row(int64_t id) {
  const auto [known, is_new] = rows_.try_emplace(id, application_->cached_rdds.size());
  if (is_new) {
    application_->cached_rdds.emplace_back().id = id;
    of_row_.emplace_back();
  }
  return known->second;
}

void CachedBlocks::Change(BlocksOfRdd* of_rdd, uint64_t key, const Block& after) {
  const auto partition = static_cast<uint32_t>(key >> 32);
  const auto [known, is_new] = of_rdd->blocks.try_emplace(key);
  StoredBlocks& now = of_rdd->now;
  AddSaturated(after.memory_bytes - known->second.memory_bytes, &now.memory_bytes);
  AddSaturated(after.disk_bytes - known->second.disk_bytes, &now.disk_bytes);
  known->second = after;
  if (is_new) {
    ++block_count_;
    ++of_rdd->copies_of[partition];
  }
  if (after.memory_bytes == 0 && after.disk_bytes == 0) {
    of_rdd->blocks.erase(known);
    --block_count_;
    if (const auto copies = of_rdd->copies_of.find(partition); --copies->second == 0) of_rdd->copies_of.erase(copies);
  }
  now.partitions = static_cast<int64_t>(of_rdd->copies_of.size());
}

void CachedBlocks::Set(const BlockUpdate& update, int32_t executor, int64_t time_ns) {
  const bool is_stored = update.memory_bytes > 0 || update.disk_bytes > 0;
  if (!is_stored && !rows_.contains(update.rdd)) return;
  const size_t row = Row(update.rdd);
  BlocksOfRdd& of_rdd = of_row_[row];
  CachedRdd& rdd = application_->cached_rdds[row];
  const uint64_t key = BlockKey(update.partition, executor);
  const auto before = of_rdd.blocks.find(key);
  if (before == of_rdd.blocks.end()) {
    if (!is_stored) return;
    if (block_count_ >= kMaxBlocks) {
      ++left_out_;
      return;
    }
    rdd.unpersist_ns = 0;  // cached again
  } else if (before->second.memory_bytes > 0 && update.memory_bytes == 0) {
    ++rdd.evicted_blocks;
  }
  Change(&of_rdd, key, {update.memory_bytes, update.disk_bytes});
  Note(row, time_ns);
}

void CachedBlocks::RemoveExecutor(int32_t executor, int64_t time_ns) {
  for (size_t row = 0; row < of_row_.size(); ++row) {
    std::vector<uint64_t> gone;
    for (const auto& [key, block] : of_row_[row].blocks) {
      if (static_cast<int32_t>(static_cast<uint32_t>(key)) == executor) gone.push_back(key);
    }
    if (gone.empty()) continue;
    for (const uint64_t key : gone) Change(&of_row_[row], key, {});
    application_->cached_rdds[row].lost_blocks += static_cast<int64_t>(gone.size());
    Note(row, time_ns);
  }
}

void CachedBlocks::Unpersist(int64_t rdd, int64_t time_ns) {
  const auto known = rows_.find(rdd);
  if (known == rows_.end()) return;
  BlocksOfRdd& of_rdd = of_row_[known->second];
  application_->cached_rdds[known->second].unpersist_ns = time_ns;
  if (of_rdd.blocks.empty()) return;
  block_count_ -= of_rdd.blocks.size();
  of_rdd = {};
  Note(known->second, time_ns);
}

void CachedBlocks::Note(size_t row, int64_t time_ns) {
  CachedRdd& rdd = application_->cached_rdds[row];
  StoredBlocks now = of_row_[row].now;
  now.time_ns = rdd.stored.empty() ? time_ns : std::max(time_ns, rdd.stored.back().time_ns);
  rdd.peak_memory_bytes = std::max(rdd.peak_memory_bytes, now.memory_bytes);
  rdd.peak_disk_bytes = std::max(rdd.peak_disk_bytes, now.disk_bytes);
  if (!rdd.stored.empty() && rdd.stored.back().time_ns == now.time_ns) {
    rdd.stored.back() = now;
    return;
  }
  if (rdd.stored.size() == kMaxStored) {
    // keeps every second one, including the first
    size_t kept = 0;
    for (size_t i = 0; i < rdd.stored.size(); i += 2) rdd.stored[kept++] = rdd.stored[i];
    rdd.stored.resize(kept);
  }
  rdd.stored.push_back(now);
}

void CachedBlocks::NoteLeftOut() const {
  if (left_out_ == 0) return;
  application_->losses.push_back(
      {"cached_blocks", fmt::format("beyond the limit of {} blocks of cached RDDs at a time", kMaxBlocks), left_out_});
}

}  // namespace sparkprof

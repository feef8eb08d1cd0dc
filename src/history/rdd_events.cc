// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/redaction.h"
#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "history/replay.h"

namespace sparkprof {
namespace {

StorageLevel ReadLevel(const simdjson::dom::object& object) {
  simdjson::dom::object level;
  if (!ObjectAt(object, "Storage Level", &level)) return {};
  return {BooleanAt(level, "Use Disk"), BooleanAt(level, "Use Memory"), BooleanAt(level, "Use Off Heap"),
          BooleanAt(level, "Deserialized"), CountAt(level, "Replication", 1)};
}

// Never below 0, as in Spark.
void AddTo(int64_t delta, int64_t* value) {
  AddSaturated(delta, value);
  *value = std::max<int64_t>(0, *value);
}

void AddMemory(const StorageLevel& level, int64_t memory, int64_t disk, HistoryExecutor* executor) {
  if (executor->has_memory_info) AddTo(memory, level.is_off_heap ? &executor->used_off_heap : &executor->used_on_heap);
  AddTo(memory, &executor->memory_used);
  AddTo(disk, &executor->disk_used);
}

void NoteRest(const HistoryExecutor& executor, RddDistribution* distribution) {
  distribution->address = executor.host_port.empty() ? executor.host : executor.host_port;
  distribution->memory_remaining = executor.max_memory - executor.memory_used;
  distribution->has_memory_info = executor.has_memory_info;
  distribution->on_heap_remaining = executor.total_on_heap - executor.used_on_heap;
  distribution->off_heap_remaining = executor.total_off_heap - executor.used_off_heap;
}

auto DistributionOf(std::string_view executor, HistoryRdd* rdd) {
  return std::find_if(rdd->distributions.begin(), rdd->distributions.end(),
                      [&](const RddDistribution& one) { return one.executor == executor; });
}

void SetPartition(std::vector<std::string> executors, int64_t memory, int64_t disk, const HistoryRdd& rdd,
                  RddPartition* partition) {
  partition->memory_used = memory;
  partition->disk_used = disk;
  partition->level = {disk > 0, memory > 0, rdd.level.is_off_heap, memory > 0 && rdd.level.is_deserialized,
                      static_cast<int64_t>(executors.size())};
  partition->executors = std::move(executors);
}

struct BlockUpdate {
  std::string_view block;
  std::string_view executor;
  StorageLevel level;
  int64_t memory = 0;  // bytes to add
  int64_t disk = 0;
};

// Updates the block's partition. Returns the change of the executor's number of blocks.
int64_t UpdatePartition(const BlockUpdate& update, HistoryRdd* rdd) {
  auto partition = std::find_if(rdd->partitions.begin(), rdd->partitions.end(),
                                [&](const RddPartition& one) { return one.block == update.block; });
  if (partition == rdd->partitions.end()) {
    partition = rdd->partitions.insert(partition, RddPartition());
    partition->block = update.block;
  }
  std::vector<std::string> executors = partition->executors;
  const auto known = std::find(executors.begin(), executors.end(), update.executor);
  int64_t delta = 0;
  if (!update.level.IsValid()) {
    delta = -1;
    if (known != executors.end()) executors.erase(known);
  } else if (known == executors.end()) {
    delta = 1;
    executors.emplace_back(update.executor);
  }
  if (executors.empty()) {
    rdd->partitions.erase(partition);
  } else {
    int64_t memory = partition->memory_used;
    int64_t disk = partition->disk_used;
    AddTo(update.memory, &memory);
    AddTo(update.disk, &disk);
    SetPartition(std::move(executors), memory, disk, *rdd, &*partition);
  }
  return delta;
}

void UpdateDistribution(const BlockUpdate& update, const HistoryExecutor& executor, int64_t blocks, HistoryRdd* rdd) {
  auto distribution = DistributionOf(executor.id, rdd);
  if (blocks <= 0) {
    if (distribution != rdd->distributions.end()) rdd->distributions.erase(distribution);
    return;
  }
  if (distribution == rdd->distributions.end()) {
    distribution = rdd->distributions.insert(distribution, RddDistribution());
    distribution->executor = executor.id;
  }
  AddTo(update.memory, &distribution->memory_used);
  AddTo(update.disk, &distribution->disk_used);
  if (executor.has_memory_info) {
    AddTo(update.memory, update.level.is_off_heap ? &distribution->off_heap_used : &distribution->on_heap_used);
  }
}

void UpdateRddBlock(const BlockUpdate& update, int64_t rdd_id, Replay* replay) {
  HistoryExecutor* const executor = replay->LiveExecutor(update.executor);
  if (executor != nullptr) AddMemory(update.level, update.memory, update.disk, executor);
  const auto found = replay->history->rdds.find(rdd_id);
  if (found == replay->history->rdds.end()) return;
  HistoryRdd& rdd = found->second;
  const int64_t delta = UpdatePartition(update, &rdd);
  if (executor != nullptr) {
    UpdateDistribution(update, *executor, executor->rdd_blocks + delta, &rdd);
    executor->rdd_blocks += delta;
    for (auto& [id, other] : replay->history->rdds) {
      const auto distribution = DistributionOf(executor->id, &other);
      if (distribution != other.distributions.end()) NoteRest(*executor, &*distribution);
    }
  }
  AddTo(update.memory, &rdd.memory_used);
  AddTo(update.disk, &rdd.disk_used);
}

// Parses "rdd_12_3" to 12; nullopt for other blocks.
std::optional<int64_t> RddOfBlock(std::string_view block) {
  const std::vector<std::string_view> parts = Split(block, '_');
  if (parts.size() != 3 || parts[0] != "rdd" || !ParseInteger(parts[2])) return std::nullopt;
  return ParseInteger(parts[1]);
}

}  // namespace

std::string StorageLevel::Description() const {
  std::string text = uses_disk ? "Disk " : "";
  if (uses_memory) text += is_off_heap ? "Memory (off heap) " : "Memory ";
  text += is_deserialized ? "Deserialized " : "Serialized ";
  return text + std::to_string(replication) + "x Replicated";
}

void AddRdds(const simdjson::dom::object& stage_info, Replay* replay) {
  simdjson::dom::array rdds;
  if (!ArrayAt(stage_info, "RDD Info", &rdds)) return;
  for (const simdjson::dom::element element : rdds) {
    simdjson::dom::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS) continue;
    const StorageLevel level = ReadLevel(object);
    if (!level.IsValid()) continue;
    const int64_t id = CountAt(object, "RDD ID", -1);
    const auto [place, is_new] = replay->history->rdds.try_emplace(id);
    if (!is_new) continue;
    HistoryRdd& rdd = place->second;
    rdd.id = id;
    rdd.name = RedactText(TextAt(object, "Name"));
    rdd.partition_count = CountAt(object, "Number of Partitions", 0);
    rdd.level = level;
  }
}

void RemoveExecutorFromRdds(const HistoryExecutor& executor, Replay* replay) {
  for (auto& [id, rdd] : replay->history->rdds) {
    std::erase_if(rdd.distributions, [&](const RddDistribution& one) { return one.executor == executor.id; });
    for (RddPartition& partition : rdd.partitions) {
      const auto known = std::find(partition.executors.begin(), partition.executors.end(), executor.id);
      if (known == partition.executors.end()) continue;
      const auto copies = static_cast<int64_t>(partition.executors.size());
      const int64_t memory = partition.memory_used / copies;
      const int64_t disk = partition.disk_used / copies;
      AddTo(-memory, &rdd.memory_used);
      AddTo(-disk, &rdd.disk_used);
      std::vector<std::string> others = partition.executors;
      others.erase(others.begin() + (known - partition.executors.begin()));
      SetPartition(std::move(others), partition.memory_used - memory, partition.disk_used - disk, rdd, &partition);
    }
    std::erase_if(rdd.partitions, [](const RddPartition& one) { return one.executors.empty(); });
  }
}

bool ReplayBlockUpdated(const simdjson::dom::object& event, Replay* replay) {
  simdjson::dom::object info;
  simdjson::dom::object manager;
  if (!ObjectAt(event, "Block Updated Info", &info) || !ObjectAt(info, "Block Manager ID", &manager)) return false;
  BlockUpdate update;
  update.block = TextAt(info, "Block ID");
  update.executor = TextAt(manager, "Executor ID");
  update.level = ReadLevel(info);
  update.memory = CountAt(info, "Memory Size", 0) * (update.level.uses_memory ? 1 : -1);
  update.disk = CountAt(info, "Disk Size", 0) * (update.level.uses_disk ? 1 : -1);
  if (const std::optional<int64_t> rdd = RddOfBlock(update.block)) {
    UpdateRddBlock(update, *rdd, replay);
  } else if (HistoryExecutor* const executor = replay->LiveExecutor(update.executor);
             executor != nullptr && update.block.starts_with("broadcast_")) {
    AddMemory(update.level, update.memory, update.disk, executor);
  }
  return true;
}

bool ReplayUnpersist(const simdjson::dom::object& event, Replay* replay) {
  const auto found = replay->history->rdds.find(CountAt(event, "RDD ID", -1));
  if (found == replay->history->rdds.end()) return true;
  const HistoryRdd& rdd = found->second;
  for (const RddPartition& partition : rdd.partitions) {
    for (const std::string& id : partition.executors) {
      if (HistoryExecutor* const executor = replay->LiveExecutor(id)) --executor->rdd_blocks;
    }
  }
  for (const RddDistribution& one : rdd.distributions) {
    HistoryExecutor* const executor = replay->LiveExecutor(one.executor);
    if (executor == nullptr) continue;
    if (executor->has_memory_info) {
      AddTo(rdd.level.is_off_heap ? -one.off_heap_used : -one.on_heap_used,
            rdd.level.is_off_heap ? &executor->used_off_heap : &executor->used_on_heap);
    }
    AddTo(-one.memory_used, &executor->memory_used);
    AddTo(-one.disk_used, &executor->disk_used);
  }
  replay->history->rdds.erase(found);
  return true;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text/json_parser.h"
#include "event_log/events/event_handlers.h"

namespace sparkprof {
namespace {

int64_t SizeAt(const simdjson::dom::object& object, std::string_view key) {
  return std::max<int64_t>(0, IntegerAt(object, key, 0));
}

}  // namespace

// The event has no time of its own.
bool AddBlockUpdated(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object info, manager;
  if (!ObjectAt(event, "Block Updated Info", &info) || !ObjectAt(info, "Block Manager ID", &manager)) return false;
  const std::optional<BlockUpdate> update = BlockUpdateOf(TextAt(info, "Block ID"), info);
  if (update) {
    state->cached_blocks.Set(*update, state->index.Executor(TextAt(manager, "Executor ID")), state->clock.Last());
  }
  return true;
}

bool AddUnpersist(const simdjson::dom::object& event, EventState* state) {
  const int64_t id = IntegerAt(event, "RDD ID", -1);
  if (id < 0) return false;
  state->cached_blocks.Unpersist(id, state->clock.Last());
  return true;
}

bool AddStorage(const simdjson::dom::object& event, EventState* state) {
  const int64_t id = IntegerAt(event, "RDD ID", -1);
  if (id < 0) return false;
  CachedRdd& rdd = state->cached_blocks.Rdd(id);
  rdd.peak_memory_bytes = SizeAt(event, "Peak Memory Size");
  rdd.peak_disk_bytes = SizeAt(event, "Peak Disk Size");
  rdd.evicted_blocks = SizeAt(event, "Evicted Blocks");
  rdd.lost_blocks = SizeAt(event, "Lost Blocks");
  rdd.unpersist_ns = NanosAt(event, "Unpersist Time");
  simdjson::dom::array stored;
  if (!ArrayAt(event, "Stored", &stored)) return true;
  for (const simdjson::dom::element element : stored) {
    simdjson::dom::array row;
    if (element.get_array().get(row) != simdjson::SUCCESS) return false;
    std::array<int64_t, 4> values{};
    size_t count = 0;
    for (const simdjson::dom::element value : row) {
      if (count < values.size()) values[count++] = std::max<int64_t>(0, IntegerOf(value, 0));
    }
    rdd.stored.push_back({NanosFromMillis(values[0]), values[1], values[2], values[3]});
  }
  return true;
}

}  // namespace sparkprof

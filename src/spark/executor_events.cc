// SPDX-License-Identifier: Apache-2.0
#include "spark/executor_events.h"

#include <algorithm>
#include <string_view>

#include "spark/json_value.h"

namespace sparkprof {
namespace {

// Null without an id.
Executor* ExecutorOf(const simdjson::dom::object& object, EventState* state) {
  const int32_t row = state->index.Executor(TextAt(object, "Executor ID"));
  return row < 0 ? nullptr : &state->application->executors[static_cast<size_t>(row)];
}

}  // namespace

bool AddExecutorAdded(const simdjson::dom::object& event, EventState* state) {
  Executor* const executor = ExecutorOf(event, state);
  if (executor == nullptr) return false;
  executor->add_ns = NanosAt(event, "Timestamp");
  state->See(executor->add_ns);
  simdjson::dom::object info;
  if (ObjectAt(event, "Executor Info", &info)) {
    const std::string_view host = TextAt(info, "Host");
    if (!host.empty()) executor->host = host;
    executor->cores = std::max<int64_t>(0, IntegerAt(info, "Total Cores", 0));
  }
  return true;
}

bool AddExecutorRemoved(const simdjson::dom::object& event, EventState* state) {
  Executor* const executor = ExecutorOf(event, state);
  if (executor == nullptr) return false;
  executor->remove_ns = NanosAt(event, "Timestamp");
  executor->remove_reason = TextAt(event, "Removed Reason");
  state->See(executor->remove_ns);
  return true;
}

bool AddBlockManagerAdded(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object id;
  if (!ObjectAt(event, "Block Manager ID", &id)) return false;
  Executor* const executor = ExecutorOf(id, state);
  if (executor == nullptr) return false;
  if (executor->host.empty()) executor->host = TextAt(id, "Host");
  if (executor->add_ns == 0) executor->add_ns = NanosAt(event, "Timestamp");
  return true;
}

}  // namespace sparkprof

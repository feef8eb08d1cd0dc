// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/json_parser.h"
#include "event_log/events/event_handlers.h"

namespace sparkprof {
namespace {

// Null without an ID.
Executor* ExecutorOf(const simdjson::dom::object& object, EventState* state) {
  const int32_t row = state->index.Executor(TextAt(object, "Executor ID"));
  return row < 0 ? nullptr : &state->application->executors[static_cast<size_t>(row)];
}

}  // namespace

bool AddExecutorAdded(const simdjson::dom::object& event, EventState* state) {
  Executor* const executor = ExecutorOf(event, state);
  if (executor == nullptr) return false;
  executor->add_ns = NanosAt(event, "Timestamp");
  state->clock.See(executor->add_ns);
  simdjson::dom::object info;
  if (ObjectAt(event, "Executor Info", &info)) {
    const std::string_view host = TextAt(info, "Host");
    if (!host.empty()) executor->host = host;
    executor->cores = std::max<int64_t>(0, IntegerAt(info, "Total Cores", 0));
    executor->resource_profile = std::max<int64_t>(0, IntegerAt(info, "Resource Profile Id", 0));
  }
  return true;
}

bool AddExecutorRemoved(const simdjson::dom::object& event, EventState* state) {
  Executor* const executor = ExecutorOf(event, state);
  if (executor == nullptr) return false;
  executor->remove_ns = NanosAt(event, "Timestamp");
  executor->remove_reason = TextAt(event, "Removed Reason");
  state->clock.See(executor->remove_ns);
  state->cached_blocks.RemoveExecutor(state->index.Executor(executor->id), executor->remove_ns);
  return true;
}

bool AddBlockManagerAdded(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object id;
  if (!ObjectAt(event, "Block Manager ID", &id)) return false;
  Executor* const executor = ExecutorOf(id, state);
  if (executor == nullptr) return false;
  if (executor->host.empty()) executor->host = TextAt(id, "Host");
  if (executor->add_ns == 0) executor->add_ns = NanosAt(event, "Timestamp");
  executor->max_memory_bytes = std::max<int64_t>(0, IntegerAt(event, "Maximum Memory", 0));
  return true;
}

bool AddStageExecutorMetrics(const simdjson::dom::object& event, EventState* state) {
  Executor* const executor = ExecutorOf(event, state);
  simdjson::dom::object metrics;
  if (executor == nullptr) return false;
  if (!ObjectAt(event, "Executor Metrics", &metrics)) return true;
  PeakMetrics peaks(executor);
  for (const simdjson::dom::key_value_pair member : metrics) peaks.Add(member.key, IntegerOf(member.value, 0));
  return true;
}

void PeakMetrics::Add(std::string_view name, int64_t value) {
  size_t tried = 0;
  while (tried < peaks_.size() && peaks_[(next_ + tried) % peaks_.size()].first != name) ++tried;
  if (tried == peaks_.size()) {
    constexpr size_t kMaxMetrics = 200;  // Spark has about 30
    if (peaks_.size() < kMaxMetrics) peaks_.emplace_back(std::string(name), std::max<int64_t>(0, value));
    next_ = 0;
    return;
  }
  const size_t found = (next_ + tried) % peaks_.size();
  peaks_[found].second = std::max(peaks_[found].second, value);
  next_ = found + 1;
}

bool AddResourceProfile(const simdjson::dom::object& event, EventState* state) {
  ResourceProfile profile;
  profile.id = IntegerAt(event, "Resource Profile Id", -1);
  if (profile.id < 0) return false;
  profile.name = "resourceProfile " + std::to_string(profile.id);
  for (const auto& [key, prefix] :
       {std::pair("Executor Resource Requests", "executor."), std::pair("Task Resource Requests", "task.")}) {
    simdjson::dom::object requests;
    if (!ObjectAt(event, key, &requests)) continue;
    for (const simdjson::dom::key_value_pair member : requests) {
      simdjson::dom::object request;
      simdjson::dom::element amount;
      if (member.value.get_object().get(request) != simdjson::SUCCESS || !Find(request, "Amount", &amount)) continue;
      double number = 0;
      if (amount.get_double().get(number) != simdjson::SUCCESS) number = static_cast<double>(IntegerOf(amount, 0));
      profile.requests.emplace_back(prefix + std::string(member.key), fmt::format("{}", number));
    }
  }
  state->application->resource_profiles.push_back(std::move(profile));
  return true;
}

}  // namespace sparkprof

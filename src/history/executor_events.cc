// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "history/replay.h"

namespace sparkprof {
namespace {

constexpr std::string_view kDriverInEvents = "driver";

// Executors may reappear under their ID, and the driver has no SparkListenerExecutorAdded event.
HistoryExecutor& GetOrCreateExecutor(std::string_view id, int64_t time_ms, Replay* replay) {
  const bool is_new = replay->live_executors.emplace(id).second;
  HistoryExecutor& executor = replay->history->executors[std::string(id)];
  if (is_new) {
    executor = {};
    executor.id = id;
    executor.add_ms = time_ms;
  }
  return executor;
}

std::vector<ExecutorResource> ReadResources(const simdjson::dom::object& info) {
  std::vector<ExecutorResource> resources;
  simdjson::dom::object object;
  if (!ObjectAt(info, "Resources", &object)) return resources;
  for (const simdjson::dom::key_value_pair member : object) {
    simdjson::dom::object one;
    if (member.value.get_object().get(one) != simdjson::SUCCESS) continue;
    ExecutorResource& resource = resources.emplace_back();
    resource.key = member.key;
    resource.name = TextAt(one, "name");
    simdjson::dom::array addresses;
    if (!ArrayAt(one, "addresses", &addresses)) continue;
    for (const simdjson::dom::element address : addresses) resource.addresses.emplace_back(TextOf(address));
  }
  return resources;
}

// Number of concurrent tasks on an executor of this profile.
int64_t MaxTasks(int64_t cores, int64_t profile, const Replay& replay) {
  int64_t cpus = replay.default_cpus_per_task;
  const auto found = replay.history->resource_profiles.find(profile);
  if (found != replay.history->resource_profiles.end()) {
    for (const ResourceRequest& request : found->second.task) {
      if (request.key == "cpus") cpus = static_cast<int64_t>(request.task_amount);
    }
  }
  return cpus > 0 ? cores / cpus : 0;
}

std::string HostOf(const HistoryExecutor& executor) {
  return executor.host.empty() ? executor.host_port.substr(0, executor.host_port.rfind(':')) : executor.host;
}

// Calls `use` for the executors on a host, except the driver.
template <typename Use>
void ForEachOnHost(std::string_view host, Replay* replay, Use&& use) {
  for (const std::string& id : replay->live_executors) {
    HistoryExecutor& executor = replay->history->executors[id];
    if (id != kDriverInEvents && HostOf(executor) == host) use(&executor);
  }
}

bool SetExcluded(const simdjson::dom::object& event, bool excluded, Replay* replay) {
  if (HistoryExecutor* const executor = replay->LiveExecutor(TextAt(event, "executorId"))) {
    executor->is_excluded = excluded;
  }
  return true;
}

bool SetHostExcluded(const simdjson::dom::object& event, bool excluded, Replay* replay) {
  ForEachOnHost(TextAt(event, "hostId"), replay, [&](HistoryExecutor* executor) { executor->is_excluded = excluded; });
  return true;
}

void ExcludeForStage(int64_t stage, HistoryExecutor* executor, LiveStage* live, Replay* replay) {
  if (live != nullptr) {
    SummaryOf(replay->history->strings.Intern(executor->id), live).is_excluded = true;
    live->excluded_executors.insert(executor->id);
  }
  executor->excluded_in_stages.insert(stage);
}

LiveStage* StageOf(const simdjson::dom::object& event, Replay* replay) {
  const auto live = replay->stages.find({CountAt(event, "stageId", -1), CountAt(event, "stageAttemptId", 0)});
  return live == replay->stages.end() ? nullptr : &live->second;
}

}  // namespace

HistoryExecutor* Replay::LiveExecutor(std::string_view id) {
  const auto executor = history->executors.find(std::string(id));
  return executor == history->executors.end() || !executor->second.is_active ? nullptr : &executor->second;
}

bool ReplayExecutorAdded(const simdjson::dom::object& event, Replay* replay) {
  const std::string_view id = TextAt(event, "Executor ID");
  if (id.empty()) return false;
  HistoryExecutor& executor = GetOrCreateExecutor(id, CountAt(event, "Timestamp", 0), replay);
  simdjson::dom::object info;
  if (!ObjectAt(event, "Executor Info", &info)) return true;
  executor.host = TextAt(info, "Host");
  executor.total_cores = CountAt(info, "Total Cores", 0);
  executor.resource_profile = CountAt(info, "Resource Profile Id", 0);
  executor.max_tasks = MaxTasks(executor.total_cores, executor.resource_profile, *replay);
  executor.logs = ReadPairs(info, "Log Urls");
  executor.attributes = ReadPairs(info, "Attributes");
  executor.resources = ReadResources(info);
  return true;
}

bool ReplayExecutorRemoved(const simdjson::dom::object& event, Replay* replay) {
  HistoryExecutor* const executor = replay->LiveExecutor(TextAt(event, "Executor ID"));
  if (executor == nullptr) return true;
  executor->is_active = false;
  executor->remove_ms = CountAt(event, "Timestamp", 0);
  executor->remove_reason = RedactText(TextAt(event, "Removed Reason"));
  replay->live_executors.erase(executor->id);
  RemoveExecutorFromRdds(*executor, replay);
  return true;
}

bool ReplayBlockManagerAdded(const simdjson::dom::object& event, Replay* replay) {
  simdjson::dom::object manager;
  if (!ObjectAt(event, "Block Manager ID", &manager)) return false;
  const std::string_view id = TextAt(manager, "Executor ID");
  if (id.empty()) return false;
  HistoryExecutor& executor = GetOrCreateExecutor(id, CountAt(event, "Timestamp", -1), replay);
  executor.host_port = std::string(TextAt(manager, "Host")) + ":" + std::to_string(CountAt(manager, "Port", 0));
  executor.max_memory = CountAt(event, "Maximum Memory", 0);
  simdjson::dom::element on_heap;
  if (Find(event, "Maximum Onheap Memory", &on_heap)) {
    executor.has_memory_info = true;
    executor.total_on_heap = CountOf(on_heap, 0);
    executor.total_off_heap = CountAt(event, "Maximum Offheap Memory", 0);
    executor.used_on_heap = executor.used_off_heap = 0;  // all blocks are reported again
  }
  return true;
}

bool ReplayStageExecutorMetrics(const simdjson::dom::object& event, Replay* replay) {
  simdjson::dom::object object;
  if (!ObjectAt(event, "Executor Metrics", &object)) return false;
  const ExecutorMetricValues metrics = ReadExecutorMetrics(object);
  const std::string_view id = TextAt(event, "Executor ID");
  const auto executor = replay->history->executors.find(std::string(id));
  if (executor != replay->history->executors.end()) executor->second.peaks.Update(metrics);
  const auto live = replay->stages.find({CountAt(event, "Stage ID", -1), CountAt(event, "Stage Attempt ID", 0)});
  if (live == replay->stages.end()) return true;
  live->second.stage->peaks.Update(metrics);
  SummaryOf(replay->history->strings.Intern(id), &live->second).peaks.Update(metrics);
  return true;
}

bool ReplayExecutorExcluded(const simdjson::dom::object& event, Replay* replay) {
  return SetExcluded(event, true, replay);
}

bool ReplayExecutorUnexcluded(const simdjson::dom::object& event, Replay* replay) {
  return SetExcluded(event, false, replay);
}

bool ReplayNodeExcluded(const simdjson::dom::object& event, Replay* replay) {
  return SetHostExcluded(event, true, replay);
}

bool ReplayNodeUnexcluded(const simdjson::dom::object& event, Replay* replay) {
  return SetHostExcluded(event, false, replay);
}

bool ReplayExecutorExcludedForStage(const simdjson::dom::object& event, Replay* replay) {
  if (HistoryExecutor* const executor = replay->LiveExecutor(TextAt(event, "executorId"))) {
    ExcludeForStage(CountAt(event, "stageId", -1), executor, StageOf(event, replay), replay);
  }
  return true;
}

bool ReplayNodeExcludedForStage(const simdjson::dom::object& event, Replay* replay) {
  LiveStage* const live = StageOf(event, replay);
  ForEachOnHost(TextAt(event, "hostId"), replay, [&](HistoryExecutor* executor) {
    ExcludeForStage(CountAt(event, "stageId", -1), executor, live, replay);
  });
  return true;
}

bool ReplayProcessAdded(const simdjson::dom::object& event, Replay* replay) {
  HistoryProcess process;
  process.id = TextAt(event, "processId");
  process.add_ms = CountAt(event, "time", 0);
  simdjson::dom::object info;
  if (ObjectAt(event, "info", &info)) {
    process.host_port = TextAt(info, "hostPort");
    process.cores = CountAt(info, "cores", 0);
    process.logs = ReadPairs(info, "logUrlInfo");
  }
  std::string id = process.id;
  replay->history->processes.insert_or_assign(std::move(id), std::move(process));
  return true;
}

}  // namespace sparkprof

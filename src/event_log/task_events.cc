// SPDX-License-Identifier: Apache-2.0
#include "event_log/task_events.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "base/json_value.h"
#include "base/redaction/redaction.h"
#include "base/text.h"
#include "event_log/executor_events.h"
#include "event_log/task_failure.h"
#include "event_log/task_metrics.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoId = -1;

struct TaskInfo {
  int64_t id = kNoId;
  int64_t index = -1;
  int64_t attempt = 0;
  int64_t partition = -1;
  int64_t launch_ns = 0;
  int64_t getting_result_ns = 0;
  int64_t finish_ns = 0;
  std::string_view executor;
  std::string_view host;
  std::string_view locality;
  bool speculative = false;
  bool failed = false;
  bool killed = false;
  std::optional<simdjson::dom::array> accumulables;
};

int32_t NarrowOr(int64_t value, int32_t fallback) {
  return value >= 0 && value <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(value) : fallback;
}

TaskInfo ReadTaskInfo(const simdjson::dom::object& object) {
  TaskInfo info;
  for (const simdjson::dom::key_value_pair member : object) {
    const std::string_view key = member.key;
    const simdjson::dom::element& value = member.value;
    if (key == "Task ID") {
      info.id = IntegerOf(value, kNoId);
    } else if (key == "Index") {
      info.index = IntegerOf(value, -1);
    } else if (key == "Attempt") {
      info.attempt = IntegerOf(value, 0);
    } else if (key == "Partition ID") {
      info.partition = IntegerOf(value, -1);
    } else if (key == "Launch Time") {
      info.launch_ns = NanosFromMillis(IntegerOf(value, 0));
    } else if (key == "Executor ID") {
      info.executor = TextOf(value);
    } else if (key == "Host") {
      info.host = TextOf(value);
    } else if (key == "Locality") {
      info.locality = TextOf(value);
    } else if (key == "Speculative") {
      info.speculative = BooleanOf(value);
    } else if (key == "Getting Result Time") {
      info.getting_result_ns = NanosFromMillis(IntegerOf(value, 0));
    } else if (key == "Finish Time") {
      info.finish_ns = NanosFromMillis(IntegerOf(value, 0));
    } else if (key == "Failed") {
      info.failed = BooleanOf(value);
    } else if (key == "Killed") {
      info.killed = BooleanOf(value);
    } else if (key == "Accumulables") {
      simdjson::dom::array accumulables;
      if (value.get_array().get(accumulables) == simdjson::SUCCESS) info.accumulables = accumulables;
    }
  }
  return info;
}

// The number in Tasks::locality.
uint8_t LocalityCode(std::string_view locality) {
  constexpr std::array<std::string_view, 5> kLocalities = {"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL",
                                                           "ANY"};
  return static_cast<uint8_t>(std::find(kLocalities.begin(), kLocalities.end(), locality) - kLocalities.begin());
}

// The row of the event's task with everything from its Task Info; nothing without a task id.
std::optional<size_t> FillTask(const simdjson::dom::object& event, const TaskInfo& info, EventState* state) {
  if (info.id < 0) return std::nullopt;
  Application& application = *state->application;
  const size_t row = static_cast<size_t>(state->index.Task(info.id));
  Tasks& tasks = application.tasks;
  const int64_t stage_id = IntegerAt(event, "Stage ID", kNoId);
  if (stage_id >= 0) {
    tasks.stage[row] = state->index.Stage(stage_id, std::max<int64_t>(0, IntegerAt(event, "Stage Attempt ID", 0)));
  }
  tasks.index[row] = NarrowOr(info.index, -1);
  tasks.attempt[row] = NarrowOr(info.attempt, 0);
  if (info.partition >= 0) tasks.partition[row] = NarrowOr(info.partition, -1);
  if (info.launch_ns > 0) tasks.launch_ns[row] = info.launch_ns;
  tasks.speculative[row] = info.speculative ? 1 : 0;
  tasks.locality[row] = LocalityCode(info.locality);
  const int32_t executor = state->index.Executor(info.executor);
  if (executor >= 0) {
    tasks.executor[row] = executor;
    Executor& its_executor = application.executors[static_cast<size_t>(executor)];
    if (its_executor.host.empty()) its_executor.host = info.host;
    if (its_executor.add_ns == 0) its_executor.add_ns = info.launch_ns;
  }
  state->clock.See(info.finish_ns > 0 ? info.finish_ns : info.launch_ns);
  return row;
}

// Updates of SQL plan metrics are written as text, Spark's own task metrics as numbers (those are in Task Metrics too).
void AddAccumulables(const simdjson::dom::array& accumulables, int32_t stage, AccumulatorTable* table) {
  for (const simdjson::dom::element element : accumulables) {
    simdjson::dom::object accumulable;
    if (element.get_object().get(accumulable) != simdjson::SUCCESS) continue;
    int64_t id = kNoId;
    for (const simdjson::dom::key_value_pair member : accumulable) {
      if (member.key == "ID") {
        id = IntegerOf(member.value, kNoId);
      } else if (member.key == "Update") {
        const std::string_view text = TextOf(member.value);
        const std::optional<int64_t> update = text.empty() ? std::nullopt : ParseInteger(text);
        if (update && id >= 0) table->AddTaskUpdate(stage, id, *update);
        break;
      }
    }
  }
}

// Before Spark 3.0, only an accumulator has it.
int64_t PeakExecutionMemory(const simdjson::dom::array& accumulables) {
  for (const simdjson::dom::element element : accumulables) {
    simdjson::dom::object accumulable;
    if (element.get_object().get(accumulable) != simdjson::SUCCESS) continue;
    const std::string_view name = TextAt(accumulable, "Name");
    if (name != "internal.metrics.peakExecutionMemory" && name != "peakExecutionMemory") continue;
    simdjson::dom::element update;
    if (!Find(accumulable, "Update", &update)) return 0;
    return std::max<int64_t>(0, IntegerOf(update, ParseInteger(TextOf(update)).value_or(0)));
  }
  return 0;
}

// As Spark's UI computes it: what is left of the task's duration for scheduling, shipping and waiting.
int64_t SchedulerDelay(const TaskValues& values) {
  int64_t rest = values[static_cast<size_t>(TaskMetric::kDuration)];
  for (const TaskMetric metric : {TaskMetric::kExecutorRunTime, TaskMetric::kDeserializeTime,
                                  TaskMetric::kResultSerializationTime, TaskMetric::kGettingResultTime}) {
    rest = std::max<int64_t>(0, rest - values[static_cast<size_t>(metric)]);
  }
  return rest;
}

}  // namespace

bool AddTaskStart(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object info;
  return ObjectAt(event, "Task Info", &info) && FillTask(event, ReadTaskInfo(info), state).has_value();
}

bool AddTaskEnd(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object info_object;
  if (!ObjectAt(event, "Task Info", &info_object)) return false;
  simdjson::dom::object reason;
  const bool has_reason = ObjectAt(event, "Task End Reason", &reason);
  const std::string_view reason_name = has_reason ? TextAt(reason, "Reason") : std::string_view();
  // A second end of a task that had succeeded: its output was lost with its executor. Spark's UI leaves it out too.
  if (reason_name == "Resubmitted") return true;

  const TaskInfo info = ReadTaskInfo(info_object);
  const std::optional<size_t> row = FillTask(event, info, state);
  if (!row) return false;
  Tasks& tasks = state->application->tasks;
  tasks.finish_ns[*row] = info.finish_ns;
  if (info.killed || reason_name == "TaskKilled") {
    tasks.outcome[*row] = TaskOutcome::kKilled;
  } else if (info.failed || (has_reason && reason_name != "Success")) {
    tasks.outcome[*row] = TaskOutcome::kFailed;
  } else {
    tasks.outcome[*row] = TaskOutcome::kSucceeded;
  }
  const bool succeeded = tasks.outcome[*row] == TaskOutcome::kSucceeded;
  if (!succeeded && has_reason)
    tasks.reason[*row] = state->application->profile.strings.Intern(state->own_redaction.Text(TaskFailureText(reason)));

  TaskValues values{};
  if (info.finish_ns > info.launch_ns && info.launch_ns > 0) {
    values[static_cast<size_t>(TaskMetric::kDuration)] = info.finish_ns - info.launch_ns;
  }
  if (info.getting_result_ns > 0 && info.finish_ns > info.getting_result_ns) {
    values[static_cast<size_t>(TaskMetric::kGettingResultTime)] = info.finish_ns - info.getting_result_ns;
  }
  simdjson::dom::object metrics;
  if (ObjectAt(event, "Task Metrics", &metrics)) {
    const bool has_peak = ReadTaskMetrics(metrics, &values);
    if (!has_peak && info.accumulables) {
      values[static_cast<size_t>(TaskMetric::kPeakExecutionMemory)] = PeakExecutionMemory(*info.accumulables);
    }
    values[static_cast<size_t>(TaskMetric::kSchedulerDelay)] = SchedulerDelay(values);
  }
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) tasks.metrics[metric][*row] = values[metric];
  simdjson::dom::object peaks;
  if (tasks.executor[*row] >= 0 && ObjectAt(event, "Task Executor Metrics", &peaks)) {
    AddPeakMetrics(peaks, &state->application->executors[static_cast<size_t>(tasks.executor[*row])]);
  }
  if (succeeded && info.accumulables) AddAccumulables(*info.accumulables, tasks.stage[*row], &state->accumulators);
  return true;
}

}  // namespace sparkprof

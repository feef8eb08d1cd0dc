// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "event_log/events/event_handlers.h"

namespace sparkprof {
namespace {

// The row of the event's task, with all values of its Task Info.
size_t FillTask(const DecodedTask& task, EventState* state) {
  Application& application = *state->application;
  const size_t row = static_cast<size_t>(state->index.Task(task.id));
  Tasks& tasks = application.tasks;
  if (task.stage_id >= 0) tasks.stage[row] = state->index.Stage(task.stage_id, task.stage_attempt);
  tasks.index[row] = task.index;
  tasks.attempt[row] = task.attempt;
  if (task.partition >= 0) tasks.partition[row] = task.partition;
  if (task.launch_ns > 0) tasks.launch_ns[row] = task.launch_ns;
  tasks.speculative[row] = task.speculative ? 1 : 0;
  tasks.locality[row] = task.locality;
  const int32_t executor = state->index.Executor(task.executor);
  if (executor >= 0) {
    tasks.executor[row] = executor;
    Executor& its_executor = application.executors[static_cast<size_t>(executor)];
    if (its_executor.host.empty()) its_executor.host = task.host;
    if (its_executor.add_ns == 0) its_executor.add_ns = task.launch_ns;
  }
  state->clock.See(task.finish_ns > 0 ? task.finish_ns : task.launch_ns);
  return row;
}

void AddEnd(const DecodedTask& task, size_t row, const TaskLists& lists, TaskListsPosition position,
            EventState* state) {
  Tasks& tasks = state->application->tasks;
  tasks.finish_ns[row] = task.finish_ns;
  tasks.outcome[row] = task.outcome;
  if (task.outcome != TaskOutcome::kSucceeded && task.has_reason) {
    tasks.reason[row] = state->application->profile.strings.Intern(state->own_redaction.Text(task.reason));
  }
  const TaskValues& values = lists.values[position.values];
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) tasks.metrics[metric][row] = values[metric];
  if (tasks.executor[row] >= 0) {
    PeakMetrics peaks(&state->application->executors[static_cast<size_t>(tasks.executor[row])]);
    for (const auto& [name, value] : std::span(lists.peaks).subspan(position.peak, task.peaks)) peaks.Add(name, value);
  }
  for (const auto& [accumulator, value] : std::span(lists.updates).subspan(position.update, task.updates)) {
    state->accumulators.AddTaskUpdate(tasks.stage[row], accumulator, value);
  }
  for (const BlockUpdate& block : std::span(lists.blocks).subspan(position.block, task.blocks)) {
    state->cached_blocks.Set(block, tasks.executor[row], task.finish_ns);
  }
}

// Spark's UI keeps the count of a lost executor.
void CountResubmitted(const DecodedTask& task, EventState* state) {
  Application& application = *state->application;
  if (task.stage_id >= 0) {
    const int32_t stage = state->index.Stage(task.stage_id, task.stage_attempt);
    ++application.stages[static_cast<size_t>(stage)].resubmitted_tasks;
  }
  const int32_t row = state->index.Executor(task.executor);
  if (row < 0) return;
  Executor& executor = application.executors[static_cast<size_t>(row)];
  if (executor.remove_ns == 0) ++executor.resubmitted_tasks;
}

}  // namespace

bool AddTask(const DecodedTask& task, const TaskLists& lists, TaskListsPosition position, EventState* state) {
  if (task.kind == DecodedTaskKind::kDamaged) return false;
  if (task.kind == DecodedTaskKind::kResubmitted) {
    CountResubmitted(task, state);
    return true;
  }
  const size_t row = FillTask(task, state);
  if (task.kind == DecodedTaskKind::kEnd) AddEnd(task, row, lists, position, state);
  return true;
}

bool AddTaskStart(const simdjson::dom::object& event, EventState* state) {
  DecodedTask task;
  DecodeTaskStart(event, &task);
  return AddTask(task, {}, {}, state);
}

bool AddTaskEnd(const simdjson::dom::object& event, EventState* state) {
  state->task_lists.Clear();
  DecodedTask task;
  DecodeTaskEnd(event, &state->task_lists, &task);
  return AddTask(task, state->task_lists, {}, state);
}

}  // namespace sparkprof

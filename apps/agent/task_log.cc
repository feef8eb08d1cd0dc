// SPDX-License-Identifier: Apache-2.0
#include "task_log.h"

#include <algorithm>

namespace sparkprof {
namespace {

// Computed from the start with the monotonic clock, because the wall clock may change.
int64_t EndOf(const TaskInterval& interval, int64_t monotonic_begin_ns, int64_t monotonic_end_ns) {
  return interval.begin_ns + std::max<int64_t>(0, monotonic_end_ns - monotonic_begin_ns);
}

}  // namespace

bool TaskLog::OnBegin(std::string_view payload) {
  PayloadReader reader(payload);
  const int64_t monotonic_ns = reader.I64();
  TaskInterval interval;
  interval.task = reader.I64();
  interval.stage = reader.I32();
  interval.stage_attempt = reader.I32();
  interval.partition = reader.I32();
  interval.attempt = reader.I32();
  interval.tid = reader.I32();
  interval.sql_execution = reader.I64();
  if (!reader.Good()) return false;
  interval.begin_ns = ToEpoch(monotonic_ns);
  join_->Begin(interval.tid, interval.task, monotonic_ns);
  times_->Begin(interval.task, monotonic_ns);
  if (const auto open = open_.find(interval.tid); open != open_.end()) CloseUnseen(&open->second, monotonic_ns);
  open_[interval.tid] = {interval, monotonic_ns};
  writer_->AddTaskInterval(interval);
  return true;
}

bool TaskLog::OnEnd(std::string_view payload) {
  PayloadReader reader(payload);
  const int64_t monotonic_ns = reader.I64();
  TaskInterval interval;
  interval.task = reader.I64();
  interval.tid = reader.I32();
  const uint8_t status = reader.U8();
  if (!reader.Good()) return false;
  join_->End(interval.tid, interval.task, monotonic_ns);
  times_->End(interval.task, monotonic_ns);
  interval.end_ns = ToEpoch(monotonic_ns);
  if (const auto open = open_.find(interval.tid); open != open_.end()) {
    if (open->second.interval.task == interval.task) {
      interval = open->second.interval;
      interval.end_ns = EndOf(interval, open->second.monotonic_begin_ns, monotonic_ns);
    } else {
      CloseUnseen(&open->second, monotonic_ns);
    }
    open_.erase(open);
  }
  interval.status = status == 1 ? TaskStatus::kSucceeded : TaskStatus::kFailed;
  writer_->AddTaskInterval(interval);
  return true;
}

void TaskLog::CloseUnseen(Open* open, int64_t monotonic_ns) {
  times_->End(open->interval.task, monotonic_ns);
  open->interval.end_ns = EndOf(open->interval, open->monotonic_begin_ns, monotonic_ns);
  open->interval.status = TaskStatus::kUnknown;
  writer_->AddTaskInterval(open->interval);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "task_log.h"

#include <algorithm>

namespace sparkprof {
namespace {

int64_t ToEpoch(int64_t monotonic_ns) {
  const ClockAnchor anchor = ReadClocks();
  return monotonic_ns + (anchor.epoch_ns - anchor.monotonic_ns);
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
  const auto [open, is_new] = open_.try_emplace(interval.tid, interval);
  if (!is_new) {
    open->second.end_ns = std::max(open->second.begin_ns, interval.begin_ns);
    open->second.status = TaskStatus::kUnknown;
    writer_->AddTaskInterval(open->second);
    open->second = interval;
  }
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
  const int64_t end_ns = ToEpoch(monotonic_ns);
  if (const auto open = open_.find(interval.tid); open != open_.end()) {
    if (open->second.task == interval.task) {
      interval = open->second;
    } else {
      open->second.end_ns = std::max(open->second.begin_ns, end_ns);
      open->second.status = TaskStatus::kUnknown;
      writer_->AddTaskInterval(open->second);
    }
    open_.erase(open);
  }
  interval.end_ns = std::max(interval.begin_ns, end_ns);
  interval.status = status == 1 ? TaskStatus::kSucceeded : TaskStatus::kFailed;
  writer_->AddTaskInterval(interval);
  return true;
}

}  // namespace sparkprof

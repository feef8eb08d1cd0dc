// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/hash_index.h"
#include "model/application.h"

namespace sparkprof {

// Finds the rows of an application by Spark's IDs, and adds missing ones. Rows are never removed, so row numbers stay
// valid; references into the tables do not. Only one index may add rows at a time. Not thread-safe.
class ApplicationIndex {
 public:
  static constexpr int32_t kNone = -1;

  // Limit for stages, jobs, SQL executions, executors and streaming batches each; takes about 2.5 GB of memory. The
  // largest known application has less than a hundredth of it.
  static constexpr size_t kMaxRows = 2'000'000;

  // Includes existing rows.
  explicit ApplicationIndex(Application* application);

  int32_t Task(int64_t task_id);
  int32_t Stage(int64_t stage_id, int64_t attempt);
  int32_t Job(int64_t job_id);
  int32_t SqlExecution(int64_t execution_id);
  int32_t Executor(std::string_view executor_id);  // kNone for an empty ID

  // Whether a table has reached kMaxRows: further events must be skipped and counted.
  bool IsFull() const;
  // Adds the loss of `count` of `what` ("spark_events") for this reason; nothing if it is 0.
  void NoteLeftOut(std::string_view what, int64_t count);

  int32_t FindStage(int64_t stage_id, int64_t attempt) const;
  int32_t FindJob(int64_t job_id) const;
  int32_t FindSqlExecution(int64_t execution_id) const;

 private:
  int32_t FindTask(int64_t task_id);
  void InsertTask(uint32_t row);
  void IndexTasks();
  void InsertStage(uint32_t row);

  Application* application_;
  // Spark numbers tasks as it starts them, so rows follow IDs unless a log lacks events or contains several contexts.
  // Only then is tasks_ filled.
  bool has_rows_by_id_ = true;
  HashIndex tasks_;
  HashIndex stages_;
  HashIndex jobs_;
  HashIndex sql_executions_;
  std::map<std::string, int32_t, std::less<>> executors_;
  // Rows of recently requested executors, by a part of their IDs' hash: most are requested once per task.
  static constexpr size_t kRecentExecutors = 256;
  std::array<int32_t, kRecentExecutors> recent_executors_;
};

}  // namespace sparkprof

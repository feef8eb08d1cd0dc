// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/application.h"
#include "model/application_index.h"
#include "text_log/known_messages.h"
#include "text_log/log_reader.h"

namespace sparkprof {

// Reconstructs jobs, stages, tasks and executors of an application from its logs: the driver's alone, executors' alone
// (tasks, without jobs), or all of them, in any order; the driver's data about a task takes precedence.
//     LogReconstruction logs(&application);
//     for each file: logs.BeginFile(); for each record: logs.Add(record); logs.EndFile();
//     logs.Finish();
// Stages of a job: the scheduler numbers a job's new stages consecutively, with its last one at the end, so all stages
// after those of the previous job belong to it, including skipped ones. Times are as exact as the log's clock; if it
// has seconds, the durations in messages narrow them to milliseconds. Not thread-safe.
class LogReconstruction {
 public:
  explicit LogReconstruction(Application* application);

  void BeginFile();
  void Add(const LogRecord& record);
  void EndFile();
  void Finish();

  // For the last file, whether it is a driver's, from its content, and the row of the executor that wrote it (-1 =
  // unknown).
  bool IsDriver() const { return file_.is_driver; }
  int32_t Executor() const { return file_.executor; }

 private:
  struct File {
    bool is_driver = false;
    int32_t executor = -1;
    int32_t contexts = 0;           // Spark contexts that started in the file
    int64_t job = -1;               // job whose final stage comes next
    int64_t last_final_stage = -1;  // largest final stage of the jobs so far
    std::set<int64_t> running_jobs;
    bool knows_first_stage = false;  // the log has the first job
    bool has_start = false;          // the application's start is known
    int64_t first_ns = 0;
    int64_t last_ns = 0;
  };

  struct Executing {
    int64_t now = 0;
    int64_t most = 0;
  };

  void AddApplicationMessage(MessageKind kind, const LogRecord& record);
  void AddRequest(std::string_view resource, int64_t mebibytes);
  void AddStreamingProgress(const LogRecord& record);
  void AddJobMessage(MessageKind kind, const LogRecord& record);
  void AddStageMessage(MessageKind kind, const LogRecord& record);
  void AddTaskMessage(MessageKind kind, const LogRecord& record);
  void AddExecutorMessage(MessageKind kind, const LogRecord& record);
  size_t FillTask();
  int32_t FillExecutor(size_t row);
  void ExtendRange();
  void MarkSpeculative(size_t row);
  void EndTask(size_t row, TaskOutcome outcome, const LogRecord& record);
  void CountLaunch(size_t row);
  void CountEnd(size_t row);
  void CountInExecutor(size_t row, int64_t change);
  void SetCores();
  void PlaceTasks();
  void CountInDriver(size_t row);
  int64_t MissingTasks() const;
  void NoteGaps();
  Stage* StageAttempt(int64_t stage_id, int64_t attempt);
  Stage* LatestAttempt(int64_t stage_id);
  void AddStageToJob(int64_t stage_id, Job* job);
  void EndJobs();
  void AddSkippedStages();
  int64_t Number(MessageField field) const { return values_.Number(field); }
  std::string_view Text(MessageField field) const { return values_.Text(field); }

  Application* application_;
  ApplicationIndex index_;
  simdjson::dom::parser json_;
  const MessageTable* messages_;
  MessageValues values_;
  File file_;
  std::unordered_map<int64_t, int64_t> latest_attempt_;   // by stage id
  std::unordered_map<int64_t, int64_t> submit_ns_;        // by stage, for its next attempt
  std::unordered_map<int64_t, int64_t> job_of_stage_;     // the first one that needs it
  std::unordered_map<int64_t, int64_t> final_stage_;      // by job id
  std::unordered_map<uint64_t, size_t> speculatable_;     // stage row and index -> row of the first attempt
  std::unordered_map<int32_t, int64_t> running_;          // tasks by row of executor, in the order of the driver's log
  std::unordered_map<int32_t, int64_t> slots_;            // by executor: the tasks that filled it
  std::unordered_map<int32_t, Executing> executing_;      // by row of executor, in the order of its own log
  std::unordered_map<int32_t, int64_t> launched_;         // tasks by row of stage; -1 once one of them ended
  std::vector<bool> in_driver_;                           // tasks of drivers' logs, by row
  std::unordered_map<int32_t, int64_t> done_;             // tasks that had ended by the messages, by row of stage
  std::set<int32_t> took_long_;                           // rows of stages that an empty one does not take as long as
  std::unordered_map<size_t, int64_t> latest_launch_ns_;  // by row, for tasks whose times have seconds
  bool has_info_ = false;                                 // a record of level INFO or below, or without a level
  bool has_driver_ = false;                               // a driver's log
  bool has_start_ = false;                                // the beginning of one
  int64_t left_out_ = 0;                                  // records beyond ApplicationIndex::kMaxRows
  int64_t ignored_contexts_ = 0;
};

}  // namespace sparkprof

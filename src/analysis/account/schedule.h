// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/selection/time_range.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

struct ExecutorSlots {
  int64_t begin_ns = 0, end_ns = 0;  // lifetime of the executor within the application
  int64_t slots = 0;                 // if its cores are unknown, the maximum number of concurrent tasks
  int64_t cores = 0;                 // 0 = unknown
  int64_t cpus = 1;                  // cores per slot: spark.task.cpus

  int64_t UnusedCores() const { return cores == 0 ? 0 : cores - slots * cpus; }
};

// Slot and time of each task attempt. A driver records a task's end only after handling the result, when the slot may
// already run its next task, so the end is limited to that task's start.
struct SlotTimes {
  // Times by task row. Attempts without a known start have no slot: their start and end are 0.
  std::vector<int64_t> begin_ns, end_ns;
  std::vector<int32_t> slot;    // -1 = none
  std::vector<int32_t> before;  // row of the previous attempt in the slot; -1 = none

  std::vector<ExecutorSlots> executors;  // by row of Application::executors, plus one for tasks of unknown executors
  bool has_cores = false;                // cores of all executors with tasks are known, and at least one executor is
};

SlotTimes SlotTimesOf(const Application& application);

// Rows sorted by time; they are mostly sorted already.
std::vector<uint32_t> RowsByTime(const std::vector<int64_t>& times_ns);

struct ScheduledStage {
  int32_t row = -1;  // row of Application::stages
  uint32_t job = 0;  // index in Schedule::jobs
  int64_t submit_ns = 0;
  int64_t done_ns = 0;              // last end of a task that the stage needed
  int64_t second_ns = 0;            // last such end on any other slot, or the stage's start
  int32_t last_task = -1;           // row of Application::tasks
  std::vector<uint32_t> after;      // indexes of its parents that were done before its submission, in any job
  std::vector<uint32_t> by_launch;  // rows of its tasks, by launch time
};

// A job, or a stage without a known job.
struct ScheduledJob {
  int32_t row = -1;  // row of Application::jobs; -1 = unknown
  int64_t submit_ns = 0, end_ns = 0;
  std::vector<uint32_t> after;   // indexes of jobs that the driver waited for before submitting this one
  std::vector<uint32_t> stages;  // indexes of the stages that ran in it
};

// Dependencies of an application's work: stages wait for their parents and their job, jobs for other jobs, and all of
// them for driver time in between. Event logs do not contain the driver's threads, so a job follows the jobs of its
// query that ended before it, else the job that ended last before it.
struct Schedule {
  TimeRange range;
  std::vector<ScheduledStage> stages;
  std::vector<ScheduledJob> jobs;  // in order of submission

  // Driver time before each stage, before each job, after the last stage of each job, and after the last job.
  std::vector<int64_t> gaps_ns;
  size_t GapBeforeStage(size_t stage) const { return stage; }
  size_t GapBeforeJob(size_t job) const { return stages.size() + job; }
  size_t GapAtEndOfJob(size_t job) const { return stages.size() + jobs.size() + job; }
  size_t GapAtEnd() const { return stages.size() + 2 * jobs.size(); }

  // Returns false for a task that ended after its stage, which had failed or had enough rows.
  bool IsNeeded(const SlotTimes& times, size_t stage, size_t task) const {
    return times.end_ns[task] <= stages[stage].done_ns;
  }
};

// `stages` from SummarizeStages.
Schedule ScheduleOf(const Application& application, const SlotTimes& times, const std::vector<StageSummary>& stages);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/account/slot_times.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// A stage attempt that ran.
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

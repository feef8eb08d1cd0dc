// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "suite/job_run.h"
#include "suite/suite_file.h"
#include "suite/suite_results.h"

namespace sparkprof {

struct SuiteRunOptions {
  std::string output;        // folder that exists
  std::string suite_folder;  // of the suite's file
  std::vector<std::string>
      profiler;  // put before the command of a profiled job, which "--output-dir FOLDER --" follows
  std::map<std::string, std::string> environment;  // of all jobs
  std::map<std::string, std::string> places;       // of the monitors' placeholders, see MonitorCommands
  // Marks for the log of the run: "start", "end", "error".
  std::function<void(std::string_view type, const std::string& message)> mark;
  std::function<void(const RepeatResult& repeat)> finished;  // after each run, warm-up included
};

// Runs the jobs one after another, the monitors beside them. Each run has a folder OUTPUT/JOB[-SIZE]/N with output.log
// and, if profiled, the recording. A job that fails does not keep the others from running; a signal ends the suite.
// `results` has all that was measured, also when it fails because OUTPUT cannot be written.
Result<void> RunSuite(const Suite& suite, const SuiteRunOptions& options, WaitedSignals* signals,
                      SuiteResults* results);

}  // namespace sparkprof

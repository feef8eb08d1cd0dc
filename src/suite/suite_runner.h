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
  std::string output;                 // existing folder
  std::string suite_folder;           // folder of the suite file
  std::vector<std::string> profiler;  // prefix of the command of a profiled job, followed by "--output-dir FOLDER --"
  std::map<std::string, std::string> environment;  // for all jobs
  std::map<std::string, std::string> places;       // values of the monitors' placeholders; see MonitorCommands
  // Adds marks to the run's log: "start", "end", "error".
  std::function<void(std::string_view type, const std::string& message)> mark;
  std::function<void(const RepeatResult& repeat)> finished;  // called after each run, including warm-up
};

// Runs the jobs one after another, and the monitors beside them. Each run has a folder OUTPUT/JOB[-SIZE]/N with
// output.log and, if profiled, the recording. A failed job does not stop the others; a signal ends the suite. Fails if
// OUTPUT cannot be written. `results` always contains all measurements so far.
Result<void> RunSuite(const Suite& suite, const SuiteRunOptions& options, WaitedSignals* signals,
                      SuiteResults* results);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/job_settings.h"
#include "launch/remote_attach.h"
#include "launch/submit_command.h"

namespace sparkprof {

// `sparkprof run`, its other names, and its steps.

// `sparkprof run` for a scheduler that parses the job's output: prints no line that it could mistake for the job's, and
// starts the job even if a setting is invalid. `output`: folder for report and recording. Returns the job's exit code.
int RunForScheduler(const std::vector<std::string>& command, const std::string& output);

// `sparkprof-submit`, with the command line of spark-submit. Profiles submissions; everything else (--status, --kill,
// --version, --help) is passed to the real spark-submit. `name`: name of the real program. Returns the job's exit code.
int Submit(const std::string& name, const std::vector<std::string>& arguments);

// Messages of `sparkprof run` on standard error.

// From now on, omits lines that a scheduler would interpret (launch/spark_submit.h).
void LeaveOutSchedulerLines();

// Prints "sparkprof: TEXT".
void Say(const std::string& text);

// Prints "sparkprof: report: PATH", which scripts parse.
void SayPath(const std::string& what, const std::string& path);

void SaySummary(const std::string& summary);

// Runs the step and returns its output; empty if it goes to a file, which is replaced if the step succeeds. Discards
// its standard error unless `shows_errors`.
Result<std::string> RunStep(const RemoteStep& step, bool shows_errors = true);

// Adds the settings that fit the job's last runs to the request, and prints the decision with its reason
// (docs/auto.md). `is_asked`: by --auto; the job's own setting `auto`, or the collector's configuration of its group,
// may ask for it, too, and auto=off in the job wins. Fails for wrong usage. Any other problem is printed, and the job
// keeps its own settings.
Result<void> AddAutoSettings(const JobSettings& settings, bool is_asked, SubmitRequest* request);

// A finished job of `sparkprof run`.
struct EndedJob {
  const SubmitRequest& request;
  int exit_code;  // exit code of its command
};

// Blocks about killed drivers for the recording (EndsOfDrivers). `pieces`: parts of the recording.
std::string EndsOfKilledDrivers(const EndedJob& job, const std::vector<std::string>& pieces);

}  // namespace sparkprof

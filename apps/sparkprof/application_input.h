// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/records/profiler_records.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// The inputs of a verb that answers about applications, of whatever kind.
struct ApplicationInput {
  std::vector<std::string> paths;
  std::string application;  // ID; empty = all
  InputOptions options;

  void AddTo(CLI::App& command);
};

// The applications of all event logs, recordings and text logs. Text logs are used only if no other input has their
// application. Prints skipped and damaged input to standard error. None after a message that there is no application.
// Errors: a path that cannot be read, an application that is not there.
Result<std::vector<Application>> LoadApplications(const ApplicationInput& input);

// Applications of recordings, and the metrics of profilers' records as they were recorded, which are not in the
// applications. None of either after a message that there are none.
struct RecordedMetrics {
  std::vector<Application> applications;
  std::optional<ProfilerRecords> records;
};
Result<RecordedMetrics> LoadMetrics(const ApplicationInput& input);

}  // namespace sparkprof

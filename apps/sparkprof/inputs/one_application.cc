// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "analysis/selection/time_range.h"
#include "inputs/application_input.h"
#include "loader/application_loader.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "verb.h"

namespace sparkprof {

Result<std::optional<Application>> LoadOneApplication(const std::string& path, const std::string& id,
                                                      const InputOptions& options) {
  const Progress progress("reading", BytesOfPaths({path}));
  const Result<std::optional<LogZone>> zone = options.Zone();
  if (!zone) return tl::unexpected(zone.error());
  Result<ApplicationLoader> loader = ApplicationLoader::Find(
      {path}, {.limits = options.Limits(), .event_logs = options.EventLog(), .zone = *zone, .log_records = false});
  if (!loader) return tl::unexpected(loader.error());
  std::optional<Application> longest;
  size_t count = 0;
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    for (Application& application : loader->Read(row, &outcomes)) {
      if (application.tasks.Size() == 0 || (!id.empty() && application.id != id)) continue;
      ++count;
      if (!longest || RangeOf(application).Duration() > RangeOf(*longest).Duration()) longest = std::move(application);
    }
  }
  PrintProblems(ProblemsOf(loader->inputs(), loader->recording_status(), outcomes));
  if (!longest) {
    const std::string none =
        id.empty()
            ? fmt::format("{}: no tasks found; expected an event log, a recording, or logs of a driver or executor",
                          path)
            : fmt::format("{}: no application with the ID {} and tasks", path, id);
    if (!AreReadable({path})) return Fail(none);
    Complain(none);
    return std::nullopt;
  }
  if (count > 1) Complain(fmt::format("{}: {} applications; using {}, which ran longest", path, count, longest->id));
  return longest;
}

}  // namespace sparkprof

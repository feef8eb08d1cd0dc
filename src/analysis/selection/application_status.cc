// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/application_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/selection/known_parts.h"

namespace sparkprof {
namespace {

constexpr std::string_view kStatusNames[] = {"running", "finished", "failed", "incomplete"};

}  // namespace

std::string_view StatusName(ApplicationStatus status) { return kStatusNames[static_cast<size_t>(status)]; }

std::optional<ApplicationStatus> ParseStatus(std::string_view name) {
  const auto* const found = std::ranges::find(kStatusNames, name);
  if (found == std::end(kStatusNames)) return std::nullopt;
  return static_cast<ApplicationStatus>(found - std::begin(kStatusNames));
}

ApplicationStatus StatusOf(const Application& application, bool is_live) {
  // Clients of other profilers send no end.
  if (!application.ended && (is_live || !application.is_foreign)) {
    return is_live ? ApplicationStatus::kRunning : ApplicationStatus::kIncomplete;
  }
  const auto last = std::ranges::max_element(application.jobs, {}, &Job::id);
  const bool failed = last != application.jobs.end() && last->status == RunStatus::kFailed;
  return failed ? ApplicationStatus::kFailed : ApplicationStatus::kFinished;
}

std::string OutcomeInWords(const Application& application) {
  if (application.is_foreign) return "profile of another tool";
  if (application.is_node) return application.complete ? "complete" : "incomplete: no final block of the monitor";
  const KnownParts known = PartsKnownOf(application);
  if (known.tasks && !known.jobs) return "partial: no data from the driver";
  const ApplicationStatus status = StatusOf(application, false);
  if (status == ApplicationStatus::kIncomplete) return "incomplete: no application end event";
  std::string text(StatusName(status));
  const auto failed =
      std::ranges::count_if(application.jobs, [](const Job& job) { return job.status == RunStatus::kFailed; });
  if (status == ApplicationStatus::kFinished && failed > 0)
    text += fmt::format(", {} job{} failed", failed, failed == 1 ? "" : "s");
  return application.complete ? text : text + ", recording incomplete";
}

}  // namespace sparkprof

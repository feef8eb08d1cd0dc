// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/application_status.h"

#include <algorithm>
#include <iterator>

namespace sparkprof {
namespace {

constexpr std::string_view kStatusNames[] = {"running", "finished", "failed", "incomplete"};

}  // namespace

std::string_view StatusName(ApplicationStatus status) { return kStatusNames[static_cast<size_t>(status)]; }

std::optional<ApplicationStatus> ParseStatus(std::string_view name) {
  const auto* const found = std::find(std::begin(kStatusNames), std::end(kStatusNames), name);
  if (found == std::end(kStatusNames)) return std::nullopt;
  return static_cast<ApplicationStatus>(found - std::begin(kStatusNames));
}

ApplicationStatus StatusOf(const Application& application, bool is_live) {
  // Clients of other profilers send no end.
  if (!application.ended && (is_live || !application.is_foreign)) {
    return is_live ? ApplicationStatus::kRunning : ApplicationStatus::kIncomplete;
  }
  const auto last = std::max_element(application.jobs.begin(), application.jobs.end(),
                                     [](const Job& a, const Job& b) { return a.id < b.id; });
  const bool failed = last != application.jobs.end() && last->status == RunStatus::kFailed;
  return failed ? ApplicationStatus::kFailed : ApplicationStatus::kFinished;
}

}  // namespace sparkprof

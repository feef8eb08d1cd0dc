// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kLeastReports = 3;  // a single rejection is retried
constexpr size_t kNamedPlaces = 3;

// Words in the texts of these failures, for a fast check.
constexpr std::string_view kHints[] = {"hrottl",     "SlowDown",   "Slow Down",        "educe your request rate",
                                       "ateLimitEx", "rate limit", "Rate exceeded",    "over the account limit",
                                       "ServerBusy", "Too Many R", "Status code = 503"};

struct Throttling {
  std::optional<FailureReport> report;  // for the first text
  int64_t count = 0;
  int64_t first_ns = 0, last_ns = 0;
  std::map<std::string, int64_t> places;  // buckets with their first folder, or paths in a bucket
};

// "acme-lake/v2" in "s3://acme-lake/v2/day=1/part-0", "snapshot/day=1" in "PUT on snapshot/day=1/part-00031: …".
std::string PlaceIn(std::string_view text) {
  static const re2::RE2 location(R"((?:s3[an]?|gs|abfss?|wasbs?)://([^/\s'",)]+(?:/[^/\s'",)]+)?)/)");
  static const re2::RE2 operation(R"((?:GET|PUT|HEAD|DELETE|LIST|POST|COPY) on ([^\s:]+)/[^\s/:]+:)");
  std::string place;
  if (!re2::RE2::PartialMatch(text, location, &place)) re2::RE2::PartialMatch(text, operation, &place);
  return place;
}

void LookForThrottling(const Application& application, std::string_view text, int64_t time_ns, int32_t executor,
                       Throttling* throttling) {
  const bool may_be = std::any_of(std::begin(kHints), std::end(kHints),
                                  [&](std::string_view hint) { return text.find(hint) != std::string_view::npos; });
  if (!may_be) return;
  std::optional<FailureReport> report = ExplainFailure(application, text, executor);
  if (!report || !IsThrottling(*report->failure)) return;
  ++throttling->count;
  if (time_ns > 0 && (throttling->first_ns == 0 || time_ns < throttling->first_ns)) throttling->first_ns = time_ns;
  throttling->last_ns = std::max(throttling->last_ns, time_ns);
  if (const std::string place = PlaceIn(text); !place.empty()) ++throttling->places[place];
  if (!throttling->report) throttling->report = std::move(report);
}

Throttling FindThrottling(const Application& application) {
  Throttling throttling;
  const LogRecords& logs = application.logs;
  const std::vector<bool> of_trouble = TemplatesOfTrouble(logs);
  for (size_t row = 0; row < logs.Size(); ++row) {
    if (of_trouble[logs.template_row[row]])
      LookForThrottling(application, logs.Text(row), logs.time_ns[row], logs.executor[row], &throttling);
  }
  if (throttling.count > 0) return throttling;
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.outcome[task] != TaskOutcome::kFailed) continue;
    LookForThrottling(application, application.profile.strings.Get(tasks.reason[task]), tasks.finish_ns[task],
                      tasks.executor[task], &throttling);
  }
  return throttling;
}

}  // namespace

bool IsThrottling(const Failure& failure) { return failure.id.ends_with("-throttled"); }

std::optional<Finding> FindStoreThrottling(const FindingInput& input) {
  const Throttling found = FindThrottling(input.application);
  if (found.count < static_cast<int64_t>(kLeastReports)) return std::nullopt;
  std::vector<std::pair<std::string, int64_t>> places(found.places.begin(), found.places.end());
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Finding finding;
  const std::string_view means = found.report->failure->means;
  finding.title = fmt::format("{}: {}", means.substr(0, means.find(',')), Counted(found.count, "report"));
  finding.what = std::string(means.substr(0, means.size() - 1));
  finding.evidence = fmt::format("{} from the first to the last of {} in logs and failures of tasks",
                                 FormatDuration(found.last_ns - found.first_ns), Counted(found.count, "report"));
  for (size_t row = 0; row < std::min(places.size(), kNamedPlaces); ++row)
    finding.evidence += fmt::format("; {} for {}", places[row].second, places[row].first);
  finding.condition = fmt::format(
      "At least {} records of logs, or failures of tasks, report that a store or a catalog throttled requests",
      kLeastReports);
  finding.selection.event = EventName(Event::kWall);
  finding.change = AdviceOf(*found.report);
  return finding;
}

}  // namespace sparkprof

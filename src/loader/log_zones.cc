// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "base/time.h"
#include "loader/input_lines.h"
#include "loader/input_loaders.h"
#include "text_log/text_log_reader.h"

namespace sparkprof {
namespace {

constexpr int64_t kQuarterHour = 900 * kNanosPerSecond;
constexpr int64_t kDay = 86'400 * kNanosPerSecond;
constexpr int64_t kMaxBytes = int64_t{64} << 20;  // maximum size read from a log in which few tasks start
constexpr size_t kEnoughTasks = 100;

using Launches = std::unordered_map<int64_t, int64_t>;  // ns by task ID

// Data from a log's first lines, with times read as UTC.
struct Beginning {
  Launches launches;
  int64_t start_ns = 0;  // start of the application, in its driver's log
  int64_t first_ns = 0;
};

// Zones range from UTC-12 to UTC+14; a larger difference is another day, not another zone.
std::optional<int64_t> RoundedToZone(int64_t difference_ns) {
  if (difference_ns < -kDay || difference_ns > kDay) return std::nullopt;
  const double quarters = static_cast<double>(difference_ns) / static_cast<double>(kQuarterHour);
  return static_cast<int64_t>(std::llround(quarters)) * kQuarterHour;
}

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Launches LaunchesOf(const Application& application) {
  Launches launches;
  for (size_t row = 0; row < application.tasks.Size(); ++row) {
    if (application.tasks.launch_ns[row] > 0)
      launches.emplace(application.tasks.id[row], application.tasks.launch_ns[row]);
  }
  return launches;
}

Beginning ReadBeginning(const Input& log, const LineLimits& limits) {
  Application by_log;
  TextLogReader reader(&by_log, {.templates = false});
  reader.BeginFile(log.path, {.latest_ns = log.changed_ns});
  int64_t bytes = 0;
  ReadLines(
      log, limits,
      [&](std::string_view lines) {
        reader.AddLines(lines);
        bytes += static_cast<int64_t>(lines.size());
        return bytes < kMaxBytes && by_log.tasks.Size() < kEnoughTasks;
      },
      /*as_written=*/true);
  reader.EndFile();
  reader.Finish();
  Beginning beginning{LaunchesOf(by_log), by_log.start_ns, by_log.start_ns};
  for (const auto& [task, launch_ns] : beginning.launches) {
    if (beginning.first_ns == 0 || launch_ns < beginning.first_ns) beginning.first_ns = launch_ns;
  }
  return beginning;
}

// Difference of the log's times from `launches` and `start_ns`.
std::optional<int64_t> AheadOf(const Beginning& log, const Launches& launches, int64_t start_ns) {
  std::vector<int64_t> differences;
  for (const auto& [task, launch_ns] : log.launches) {
    const auto known = launches.find(task);
    if (known != launches.end()) differences.push_back(launch_ns - known->second);
  }
  if (!differences.empty()) return RoundedToZone(Median(std::move(differences)));
  if (log.start_ns > 0 && start_ns > 0) return RoundedToZone(log.start_ns - start_ns);
  return std::nullopt;
}

int64_t FirstRecordNanos(const ProfilerRecords& records) {
  int64_t first_ms = 0;
  for (const RecordProcess& process : records.processes) {
    if (process.first_ms > 0 && (first_ms == 0 || process.first_ms < first_ms)) first_ms = process.first_ms;
  }
  return first_ms <= std::numeric_limits<int64_t>::max() / kNanosPerMilli ? first_ms * kNanosPerMilli : 0;
}

// Most frequent known value; nullopt if there is none.
std::optional<int64_t> MostFrequent(const std::vector<std::optional<int64_t>>& values) {
  std::map<int64_t, size_t> counts;
  for (const std::optional<int64_t>& value : values) {
    if (value) ++counts[*value];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

std::optional<int64_t> AheadByRecords(const std::vector<Beginning>& logs, int64_t first_record_ns) {
  int64_t first_ns = 0;
  for (const Beginning& log : logs) {
    if (log.first_ns > 0 && (first_ns == 0 || log.first_ns < first_ns)) first_ns = log.first_ns;
  }
  if (first_ns == 0 || first_record_ns == 0) return std::nullopt;
  return RoundedToZone(first_ns - first_record_ns);
}

// Returns ns ahead of UTC for each log.
std::vector<int64_t> Align(const std::vector<Beginning>& logs, int64_t first_record_ns,
                           const Application& application) {
  Launches launches = LaunchesOf(application);
  std::vector<std::optional<int64_t>> ahead(logs.size());
  const auto align = [&] {
    for (size_t i = 0; i < logs.size(); ++i) {
      if (!ahead[i]) ahead[i] = AheadOf(logs[i], launches, application.start_ns);
    }
  };
  align();
  const int64_t others = MostFrequent(ahead).value_or(AheadByRecords(logs, first_record_ns).value_or(0));
  const auto driver = std::find_if(logs.begin(), logs.end(), [](const Beginning& log) { return log.start_ns > 0; });
  if (launches.empty() && driver != logs.end()) {
    std::optional<int64_t>& its_own = ahead[static_cast<size_t>(driver - logs.begin())];
    its_own = its_own.value_or(others);
    launches = driver->launches;
    for (auto& [task, launch_ns] : launches) launch_ns -= *its_own;
    align();
  }
  std::vector<int64_t> all;
  for (const std::optional<int64_t>& one : ahead) all.push_back(one.value_or(others));
  return all;
}

}  // namespace

std::vector<LogZone> ZonesOf(const std::vector<const Input*>& logs, const ProfilerRecords& records,
                             const LoaderOptions& options, const Application& application) {
  if (options.zone) return std::vector<LogZone>(logs.size(), *options.zone);
  std::vector<LogZone> zones(logs.size());
  std::vector<size_t> rows;  // rows of `beginnings` by row of `logs`
  const int64_t first_record_ns = FirstRecordNanos(records);
  const bool is_comparable = application.start_ns > 0 || application.tasks.Size() > 0 || first_record_ns > 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    if (is_comparable || logs.size() > 1) rows.push_back(i);
  }
  std::vector<Beginning> beginnings(rows.size());
  ForEachInParallel(rows.size(), static_cast<size_t>(std::max(0, options.event_logs.threads)),
                    [&](size_t row) { beginnings[row] = ReadBeginning(*logs[rows[row]], options.event_logs.lines); });
  const std::vector<int64_t> ahead = Align(beginnings, first_record_ns, application);
  for (size_t i = 0; i < rows.size(); ++i) zones[rows[i]] = LogZone::Ahead(ahead[i]);
  return zones;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "spark/evidence/text_log_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/time.h"
#include "spark/application_index.h"
#include "spark/evidence/input_lines.h"
#include "spark/text_log/text_log_reader.h"

namespace sparkprof {
namespace {

constexpr int64_t kQuarterHour = 900 * kNanosPerSecond;
constexpr int64_t kDay = 86'400 * kNanosPerSecond;
constexpr int64_t kMaxAlignmentBytes = int64_t{64} << 20;  // the first tasks of a log are enough

// Zones reach from UTC-12 to UTC+14; what differs more is another day, not another zone.
std::optional<int64_t> RoundedZone(int64_t difference_ns) {
  if (difference_ns < -kDay || difference_ns > kDay) return std::nullopt;
  const double quarters = static_cast<double>(difference_ns) / static_cast<double>(kQuarterHour);
  return static_cast<int64_t>(std::llround(quarters)) * kQuarterHour;
}

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int64_t FirstRecordNanos(const ProfilerRecords& records) {
  int64_t first_ms = 0;
  for (const RecordProcess& process : records.processes) {
    if (process.first_ms > 0 && (first_ms == 0 || process.first_ms < first_ms)) first_ms = process.first_ms;
  }
  return first_ms <= std::numeric_limits<int64_t>::max() / kNanosPerMilli ? first_ms * kNanosPerMilli : 0;
}

// The first moment that an application read from its logs alone knows.
int64_t FirstNanos(const Application& application) {
  int64_t first_ns = application.start_ns;
  for (const int64_t launch_ns : application.tasks.launch_ns) {
    if (launch_ns > 0 && (first_ns == 0 || launch_ns < first_ns)) first_ns = launch_ns;
  }
  return first_ns;
}

Application ReadFirstTasks(const std::vector<const Input*>& logs) {
  Application by_log;
  TextLogReader reader(&by_log, {.offset_ns = 0, .templates = false});
  for (const Input* log : logs) {
    reader.BeginFile(log->path);
    ReadLines(
        *log, [&](std::string_view lines) { reader.AddLines(lines); }, kMaxAlignmentBytes);
    reader.EndFile();
  }
  reader.Finish();
  return by_log;
}

int64_t OffsetOf(const std::vector<const Input*>& logs, const ProfilerRecords& records, const EvidenceOptions& options,
                 const Application& application) {
  if (options.utc_offset_ns) return -*options.utc_offset_ns;
  for (const Input* log : logs) {
    if (log->utc_offset_s) return -*log->utc_offset_s * kNanosPerSecond;
  }
  const int64_t first_record_ns = FirstRecordNanos(records);
  if (application.start_ns == 0 && application.tasks.Size() == 0 && first_record_ns == 0) return 0;
  const Application by_log = ReadFirstTasks(logs);
  if (const std::optional<int64_t> offset = ZoneOffset(by_log, application)) return *offset;
  const int64_t first_ns = FirstNanos(by_log);
  if (first_record_ns == 0 || first_ns == 0) return 0;
  return RoundedZone(first_record_ns - first_ns).value_or(0);
}

// The rows of `application`'s executors for those of `by_log`.
std::vector<int32_t> MapExecutors(const Application& by_log, Application* application) {
  ApplicationIndex index(application);
  std::vector<int32_t> rows;
  for (const Executor& executor : by_log.executors) {
    const int32_t row = index.Executor(executor.id);
    rows.push_back(row);
    if (row < 0) continue;
    std::string& host = application->executors[static_cast<size_t>(row)].host;
    if (host.empty()) host = executor.host;
  }
  return rows;
}

void TakeLogs(Application&& by_log, Application* application) {
  const std::vector<int32_t> executors = MapExecutors(by_log, application);
  application->logs = std::move(by_log.logs);
  for (int32_t& executor : application->logs.executor) {
    if (executor >= 0) executor = executors[static_cast<size_t>(executor)];
  }
  for (Loss& loss : by_log.losses) application->losses.push_back(std::move(loss));
}

// The layout knows whose a log is where the log itself does not say.
void FillExecutors(const std::vector<const Input*>& logs, Application* application) {
  LogRecords& records = application->logs;
  std::unordered_map<std::string_view, const Input*> by_path;
  for (const Input* log : logs) by_path.emplace(log->path, log);
  ApplicationIndex index(application);
  std::vector<int32_t> of_source;
  for (const std::string& source : records.sources) {
    const auto input = by_path.find(source);
    of_source.push_back(input == by_path.end() ? -1 : index.Executor(input->second->executor));
  }
  for (size_t row = 0; row < records.Size(); ++row) {
    if (records.executor[row] < 0) records.executor[row] = of_source[records.source[row]];
  }
}

}  // namespace

std::optional<int64_t> ZoneOffset(const Application& by_log, const Application& application) {
  std::unordered_map<int64_t, int64_t> launched;
  for (size_t row = 0; row < application.tasks.Size(); ++row) {
    if (application.tasks.launch_ns[row] > 0)
      launched.emplace(application.tasks.id[row], application.tasks.launch_ns[row]);
  }
  std::vector<int64_t> differences;
  for (size_t row = 0; row < by_log.tasks.Size(); ++row) {
    const auto known = launched.find(by_log.tasks.id[row]);
    if (known == launched.end() || by_log.tasks.launch_ns[row] <= 0) continue;
    differences.push_back(known->second - by_log.tasks.launch_ns[row]);
  }
  if (!differences.empty()) return RoundedZone(Median(std::move(differences)));
  if (by_log.start_ns > 0 && application.start_ns > 0) return RoundedZone(application.start_ns - by_log.start_ns);
  return std::nullopt;
}

void AddTextLogs(const std::vector<const Input*>& logs, const ProfilerRecords& records, const EvidenceOptions& options,
                 Application* application, std::vector<InputOutcome>* outcomes) {
  if (logs.empty()) return;
  const bool alone = application->tasks.Size() == 0 && application->jobs.empty();
  Application scratch;
  Application* const target = alone ? application : &scratch;
  TextLogReader reader(target,
                       {.offset_ns = OffsetOf(logs, records, options, *application), .templates = options.log_records});
  bool whole = true;
  for (const Input* log : logs) {
    reader.BeginFile(log->path);
    outcomes->push_back(ReadLines(*log, [&](std::string_view lines) { reader.AddLines(lines); }));
    reader.EndFile();
    whole = whole && outcomes->back().problem.empty();
  }
  reader.Finish();
  if (alone) {
    application->complete = application->ended && whole;
  } else {
    TakeLogs(std::move(scratch), application);
  }
  FillExecutors(logs, application);
}

}  // namespace sparkprof

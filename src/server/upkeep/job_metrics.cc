// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/job_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kRecentNs = 3600 * kNanosPerSecond;
constexpr size_t kMaxRemembered = 100'000;
constexpr size_t kMaxName = 120;      // bytes of a label value
constexpr size_t kMaxExemplar = 100;  // OpenMetrics allows 128 characters including the label's name
constexpr const char* kOthers = "[others]";

double Seconds(int64_t nanos) { return static_cast<double>(nanos) / kNanosPerSecond; }

// A label value: UTF-8 on one line, quoted.
std::string Label(std::string_view value, size_t most = kMaxName) {
  std::string text;
  for (const char c : Shorten(ToOneLine(value), most)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

bool JobMetrics::IsNew(const ApplicationKey& key) {
  if (!counted_.insert(key).second) return false;
  order_.push_back(key);
  if (order_.size() > kMaxRemembered) {
    counted_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

void JobMetrics::Consider(const ApplicationRow& row, int64_t changed_ns) {
  if (row.status == ApplicationStatus::kRunning || changed_ns < EpochNanos() - kRecentNs) return;
  const std::lock_guard lock(mutex_);
  if (!IsNew(row.key)) return;
  const bool has_place = jobs_.contains(row.group) || jobs_.size() < most_groups_;
  Job& job = jobs_[has_place ? row.group : kOthers];
  const double seconds = Seconds(std::max<int64_t>(0, row.end_ns - row.start_ns));
  const auto bucket =
      static_cast<size_t>(std::find_if(kBuckets.begin(), kBuckets.end(),
                                       [&](int64_t limit) { return seconds <= static_cast<double>(limit); }) -
                          kBuckets.begin());
  ++job.runs[row.status];
  ++job.durations[bucket];
  job.exemplars[bucket] = {row.key.id, seconds, Seconds(row.end_ns)};
  job.duration_seconds += seconds;
  if (row.cpu_ns > 0) job.cpu_seconds += Seconds(row.cpu_ns);
  if (row.tasks > 0) job.tasks += static_cast<uint64_t>(row.tasks);
  if (row.findings > 0) job.findings += static_cast<uint64_t>(row.findings);
  job.last_duration_seconds = seconds;
  job.last_end_seconds = Seconds(row.end_ns);
}

std::string JobMetrics::Text(bool open_metrics) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto begin = [&](std::string_view name, std::string_view type, std::string_view help) {
    // OpenMetrics names a counter's family without the suffix.
    if (open_metrics && type == "counter") name.remove_suffix(std::string_view("_total").size());
    text += fmt::format("# HELP sparkprof_{} {}\n# TYPE sparkprof_{} {}\n", name, help, name, type);
  };
  const auto each = [&](std::string_view name, std::string_view type, std::string_view help, const auto& value_of) {
    begin(name, type, help);
    for (const auto& [group, job] : jobs_)
      text += fmt::format("sparkprof_{}{{group=\"{}\"}} {}\n", name, Label(group), value_of(job));
  };

  begin("job_runs_total", "counter", "Applications that ended.");
  for (const auto& [group, job] : jobs_) {
    for (const auto& [status, count] : job.runs) {
      text += fmt::format("sparkprof_job_runs_total{{group=\"{}\",status=\"{}\"}} {}\n", Label(group),
                          StatusName(status), count);
    }
  }
  begin("job_duration_seconds", "histogram", "Durations of applications that ended.");
  for (const auto& [group, job] : jobs_) {
    uint64_t sum = 0;
    for (size_t i = 0; i <= kBuckets.size(); ++i) {
      sum += job.durations[i];
      text += fmt::format("sparkprof_job_duration_seconds_bucket{{group=\"{}\",le=\"{}\"}} {}", Label(group),
                          i < kBuckets.size() ? fmt::format("{}.0", kBuckets[i]) : "+Inf", sum);
      if (const Exemplar& one = job.exemplars[i]; open_metrics && !one.application.empty()) {
        text += fmt::format(" # {{application=\"{}\"}} {} {:.3f}", Label(one.application, kMaxExemplar), one.seconds,
                            one.time);
      }
      text += '\n';
    }
    text += fmt::format("sparkprof_job_duration_seconds_sum{{group=\"{}\"}} {}\n", Label(group), job.duration_seconds);
    text += fmt::format("sparkprof_job_duration_seconds_count{{group=\"{}\"}} {}\n", Label(group), sum);
  }
  each("job_cpu_seconds_total", "counter", "CPU time of applications that ended, as far as it is known.",
       [](const Job& job) { return job.cpu_seconds; });
  each("job_tasks_total", "counter", "Tasks of applications that ended, as far as they are known.",
       [](const Job& job) { return job.tasks; });
  each("job_findings_total", "counter", "Findings about applications that ended.",
       [](const Job& job) { return job.findings; });
  each("job_last_duration_seconds", "gauge", "Duration of the application that ended last.",
       [](const Job& job) { return job.last_duration_seconds; });
  each("job_last_end_timestamp_seconds", "gauge", "End of the application that ended last.",
       [](const Job& job) { return fmt::format("{:.3f}", job.last_end_seconds); });
  if (open_metrics) text += "# EOF\n";
  return text;
}

}  // namespace sparkprof

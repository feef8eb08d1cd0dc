// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/driver_programs.h"
#include "analysis/findings/rules.h"
#include "analysis/frame_origin.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kMuchGrowth = int64_t{128} << 20;

// The growth of the resident memory of the driver's Python program.
int64_t GrowthOfDriver(const Application& application) {
  double first_bytes = 0, peak_bytes = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty()) continue;
    if (application.processes[static_cast<size_t>(series.process)].process.role != kDriverProgramRole) continue;
    if (series.name == "process.rss_bytes" && first_bytes == 0) first_bytes = series.points.front().value;
    if (series.name != "process.rss_bytes" && series.name != "process.rss_peak_bytes") continue;
    for (const SeriesPoint& point : series.points) peak_bytes = std::max(peak_bytes, point.value);
  }
  return first_bytes == 0 ? 0 : static_cast<int64_t>(peak_bytes - first_bytes);
}

// What a line of the driver's program spends in Py4J and in reading results.
struct Fetch {
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;  // with the time in which the JVM works for it
  int64_t first_ns = 0, last_ns = 0;
};

struct Fetches {
  int64_t cpu_ns = 0;  // of all lines
  std::string line;    // of the user, with the most CPU time
  Fetch of_line;
};

// The part of a time in which jobs ran.
int64_t JobTimeBetween(const Application& application, int64_t begin_ns, int64_t end_ns) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const Job& job : application.jobs) {
    if (job.submit_ns > 0) spans.emplace_back(std::max(job.submit_ns, begin_ns), std::min(job.end_ns, end_ns));
  }
  std::sort(spans.begin(), spans.end());
  int64_t time_ns = 0, until_ns = begin_ns;
  for (const auto& [from_ns, to_ns] : spans) {
    time_ns += std::max<int64_t>(0, to_ns - std::max(from_ns, until_ns));
    until_ns = std::max(until_ns, to_ns);
  }
  return time_ns;
}

Fetches FetchesOf(const Application& application) {
  const Profile& profile = application.profile;
  const DriverPrograms drivers(application);
  const EventId cpu = profile.Row(Event::kCpu);
  std::map<std::string, Fetch> by_line;
  Fetches fetches;
  const EventId wall = profile.Row(Event::kWall);
  for (const Sample& sample : application.python_samples) {
    if ((sample.event != cpu && sample.event != wall) || !drivers.Has(sample)) continue;
    bool is_fetch = false;
    for (StackId stack = sample.stack; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
      const std::string_view file = profile.strings.Get(frame.file);
      is_fetch |= file.find("py4j/") != std::string_view::npos || file.ends_with("pyspark/serializers.py");
      if (OriginOf(profile.strings.Get(frame.name), file, frame.kind) != FrameOrigin::kUser) continue;
      if (!is_fetch) break;
      Fetch& fetch = by_line[FrameLabel(profile.strings, frame)];
      if (fetch.first_ns == 0) fetch.first_ns = sample.time_ns;
      fetch.first_ns = std::min(fetch.first_ns, sample.time_ns);
      fetch.last_ns = std::max(fetch.last_ns, sample.time_ns + profile.bucket_ns);
      (sample.event == cpu ? fetch.cpu_ns : fetch.wall_ns) += sample.weight;
      if (sample.event == cpu) fetches.cpu_ns += sample.weight;
      break;
    }
  }
  const auto most = std::max_element(by_line.begin(), by_line.end(),
                                     [](const auto& a, const auto& b) { return a.second.cpu_ns < b.second.cpu_ns; });
  if (most != by_line.end()) std::tie(fetches.line, fetches.of_line) = *most;
  return fetches;
}

}  // namespace

std::optional<Finding> FindLargeFetches(const FindingInput& input) {
  const int64_t growth = GrowthOfDriver(input.application);
  if (growth < kMuchGrowth) return std::nullopt;
  const Fetches fetches = FetchesOf(input.application);
  if (fetches.line.empty()) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("The driver program fetches data: its memory grows by {}", FormatBytes(growth));
  finding.confidence = 0.8;
  finding.what = fmt::format("The Python program of the driver grew by {} while it fetched data from its JVM",
                             FormatBytes(growth));
  finding.evidence = fmt::format("{} of CPU time to receive and decode the data, most of it in {}",
                                 FormatDuration(fetches.cpu_ns), fetches.line);
  finding.frames = {fetches.line};
  finding.condition = fmt::format("The driver's Python program grows by at least {}, and receives data over Py4J",
                                  FormatBytes(kMuchGrowth));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change =
      "Leave the rows in the executors: aggregate, filter or write them there. If the driver needs them, fetch them in "
      "parts (toLocalIterator) or with Arrow (toPandas with spark.sql.execution.arrow.pyspark.enabled=true)";
  // The jobs that compute the rows remain.
  const Fetch& line = fetches.of_line;
  const int64_t after_jobs_ns = line.wall_ns - JobTimeBetween(input.application, line.first_ns, line.last_ns);
  finding.gain_ns = std::max(2 * fetches.cpu_ns, after_jobs_ns);  // the JVM encodes what Python decodes
  finding.gain_low = 0.6;
  finding.gain_high = 1.5;
  finding.severity = std::max(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/python/driver_lines.h"
#include "analysis/time/timeline.h"

namespace sparkprof {
namespace {

constexpr int64_t kLarge = int64_t{32} << 20;

// Time in which the driver processes the result: from the end of the stage's job to the next job, or to the end of the
// application.
int64_t TimeAfterJob(const Application& application, const Stage& stage) {
  int64_t end_ns = 0;
  for (const Job& job : application.jobs) {
    if (job.id == stage.job) end_ns = job.end_ns;
  }
  if (end_ns == 0) return 0;
  int64_t next_ns = RangeOf(application).end_ns;
  for (const Job& job : application.jobs) {
    if (job.submit_ns >= end_ns) next_ns = std::min(next_ns, job.submit_ns);
  }
  return std::max<int64_t>(0, next_ns - end_ns);
}

constexpr int64_t kMuchGrowth = int64_t{128} << 20;
// Rows as Python objects temporarily need up to this many times their size. A program that received less grew for
// another reason.
constexpr int64_t kMaxGrowthPerByte = 20;
// The spike is the time in which the memory grows from the first to the second share of its growth.
constexpr double kSpikeBegin = 0.1, kSpikeEnd = 0.9;

// The growth of resident memory of a driver's Python program.
struct Spike {
  int32_t process = -1;  // row
  int64_t bytes = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

Spike SpikeOf(const ApplicationSeries& peaks, double first_bytes) {
  Spike spike;
  spike.process = peaks.process;
  double most = first_bytes;
  for (const SeriesPoint& point : peaks.points) most = std::max(most, point.value);
  const double growth = most - first_bytes;
  spike.bytes = static_cast<int64_t>(growth);
  spike.begin_ns = spike.end_ns = peaks.points.front().time_ns;
  for (const SeriesPoint& point : peaks.points) {
    if (point.value <= first_bytes + kSpikeBegin * growth) spike.begin_ns = point.time_ns;
    spike.end_ns = point.time_ns;
    if (point.value >= first_bytes + kSpikeEnd * growth) break;
  }
  return spike;
}

// The largest spike. Peaks recorded by the kernel may lie between two readings.
Spike LargestSpike(const Application& application) {
  std::map<int32_t, double> first_bytes;  // by process
  for (const ApplicationSeries& series : application.series) {
    if (series.name == "process.rss_bytes" && !series.points.empty()) {
      first_bytes.try_emplace(series.process, series.points.front().value);
    }
  }
  Spike largest;
  for (const std::string_view name : {"process.rss_peak_bytes", "process.rss_bytes"}) {
    for (const ApplicationSeries& series : application.series) {
      const auto first = first_bytes.find(series.process);
      if (series.name != name || series.process < 0 || series.points.empty() || first == first_bytes.end()) continue;
      if (application.processes[static_cast<size_t>(series.process)].process.role != kDriverProgramRole) continue;
      const Spike spike = SpikeOf(series, first->second);
      if (spike.bytes > largest.bytes) largest = spike;
    }
  }
  return largest;
}

// Bytes received over TCP during the spike; nullopt if not recorded. Counts from the reading before the spike, because
// the reading at its start is slightly later than that of the memory and may include all of it.
std::optional<int64_t> ReceivedIn(const Application& application, const Spike& spike) {
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.received_bytes" || series.process != spike.process) continue;
    double before = 0, after = 0;
    for (const SeriesPoint& point : series.points) {
      if (point.time_ns < spike.begin_ns) before = point.value;
      if (point.time_ns <= spike.end_ns) after = point.value;
    }
    return static_cast<int64_t>(after - before);
  }
  return std::nullopt;
}

// Time that a line of the driver's program spends in Py4J and in reading results.
struct Fetch {
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;  // including the time in which the JVM works for it
  int64_t first_ns = 0, last_ns = 0;
  std::map<std::string, int64_t> cpu_by_call;
};

struct Fetches {
  int64_t cpu_ns = 0;  // over all lines
  std::string line;    // the user's line with the most CPU time
  std::string call;    // its callee: "__call__ (java_gateway.py:1362), read_line (clientserver.py:12)"
  Fetch of_line;
};

bool IsFetchFile(std::string_view file) { return Contains(file, "py4j/") || file.ends_with("pyspark/serializers.py"); }

Fetches FetchesOf(const Application& application) {
  const Profile& profile = application.profile;
  const DriverPrograms drivers(application);
  const EventId cpu = profile.Row(Event::kCpu);
  std::map<std::string, Fetch> by_line;
  Fetches fetches;
  const EventId wall = profile.Row(Event::kWall);
  for (const Sample& sample : application.python_samples) {
    if ((sample.event != cpu && sample.event != wall) || !drivers.Has(sample)) continue;
    std::string outermost, innermost;  // frames that fetch
    for (StackId stack = sample.stack; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
      const std::string_view file = profile.strings.Get(frame.file);
      if (IsFetchFile(file)) {
        outermost = FrameLabel(profile.strings, frame);
        if (innermost.empty()) innermost = outermost;
      }
      if (OriginOf(profile.strings.Get(frame.name), file, frame.kind) != FrameOrigin::kUser) continue;
      if (outermost.empty()) break;
      Fetch& fetch = by_line[FrameLabel(profile.strings, frame)];
      if (fetch.first_ns == 0) fetch.first_ns = sample.time_ns;
      fetch.first_ns = std::min(fetch.first_ns, sample.time_ns);
      fetch.last_ns = std::max(fetch.last_ns, sample.time_ns + profile.bucket_ns);
      (sample.event == cpu ? fetch.cpu_ns : fetch.wall_ns) += sample.weight;
      if (sample.event == cpu) {
        fetch.cpu_by_call[outermost == innermost ? outermost : outermost + ", " + innermost] += sample.weight;
        fetches.cpu_ns += sample.weight;
      }
      break;
    }
  }
  const auto most =
      std::ranges::max_element(by_line, [](const auto& a, const auto& b) { return a.second.cpu_ns < b.second.cpu_ns; });
  if (most == by_line.end()) return fetches;
  std::tie(fetches.line, fetches.of_line) = *most;
  const auto& calls = fetches.of_line.cpu_by_call;
  const auto call = LargestEntry(calls);
  if (call != calls.end()) fetches.call = call->first;
  return fetches;
}

// The position of the spike among the jobs: "no job runs then: it is in a gap of 4.2 s after job 0 (count at
// job.py:3)".
std::string PlaceAmongJobs(const Application& application, const Spike& spike) {
  const int64_t time_ns = spike.begin_ns + (spike.end_ns - spike.begin_ns) / 2;
  const Job *before = nullptr, *after = nullptr;
  for (const Job& job : application.jobs) {
    if (job.submit_ns <= 0 || job.end_ns <= 0) continue;
    if (job.submit_ns <= time_ns && time_ns < job.end_ns) {
      return fmt::format("job {} ({}) runs then", job.id, ShortCallSite(job.name));
    }
    if (job.end_ns <= time_ns && (before == nullptr || job.end_ns > before->end_ns)) before = &job;
    if (job.submit_ns > time_ns && (after == nullptr || job.submit_ns < after->submit_ns)) after = &job;
  }
  const int64_t begin_ns = before == nullptr ? application.start_ns : before->end_ns;
  const int64_t end_ns = after == nullptr ? application.end_ns : after->submit_ns;
  if (end_ns <= begin_ns) return {};
  std::string place = fmt::format("no job runs then: it is in a gap of {}", FormatDuration(end_ns - begin_ns));
  if (before != nullptr) place += fmt::format(" after job {} ({})", before->id, ShortCallSite(before->name));
  if (after != nullptr) {
    place +=
        fmt::format("{} before job {} ({})", before == nullptr ? "" : " and", after->id, ShortCallSite(after->name));
  }
  return place;
}

}  // namespace

std::optional<Finding> FindLargeResults(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t result_bytes = summary.Total(TaskMetric::kResultSize);
  if (result_bytes < kLarge) return std::nullopt;
  const int64_t sending_ns =
      summary.Total(TaskMetric::kGettingResultTime) + summary.Total(TaskMetric::kResultSerializationTime);
  const int64_t after_ns = TimeAfterJob(input.application, stage);
  Finding finding;
  finding.title = fmt::format("Stage {}: the driver collects {}", stage.id, FormatBytes(result_bytes));
  finding.what =
      fmt::format("The tasks of {} sent {} to the driver", StageText(input, stage), FormatBytes(result_bytes));
  finding.evidence = fmt::format(
      "{} to serialize and fetch the results; the driver was busy for {} after the job; largest result of a task {}",
      FormatDuration(sending_ns), FormatDuration(after_ns), FormatBytes(summary.Of(TaskMetric::kResultSize).max));
  finding.condition = fmt::format("The tasks of a stage send at least {} to the driver", FormatBytes(kLarge));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change = FewerRowsAdvice(stage.name);
  finding.claim = ClaimTasks(input, summary, sending_ns, kMost);
  finding.claim.wall_ns = after_ns;
  return finding;
}

std::optional<Finding> FindLargeFetches(const FindingInput& input) {
  const Application& application = input.application;
  const Spike spike = LargestSpike(application);
  if (spike.bytes < kMuchGrowth) return std::nullopt;
  const Fetches fetches = FetchesOf(application);
  if (fetches.line.empty()) return std::nullopt;
  const std::optional<int64_t> received = ReceivedIn(application, spike);
  if (received && *received < spike.bytes / kMaxGrowthPerByte) return std::nullopt;
  const Process& process = application.processes[static_cast<size_t>(spike.process)].process;
  const int64_t from_ns = std::max<int64_t>(0, spike.begin_ns - application.start_ns);
  const int64_t to_ns = std::max<int64_t>(from_ns, spike.end_ns - application.start_ns);
  Finding finding;
  finding.title = fmt::format("The driver program fetches {}: its memory grows by {}",
                              received ? FormatBytes(*received) : "data", FormatBytes(spike.bytes));
  finding.what = fmt::format("The Python program of the driver (process {}) grew by {} between {} and {}, while it {}",
                             process.pid, FormatBytes(spike.bytes), FormatDuration(from_ns), FormatDuration(to_ns),
                             received ? fmt::format("received {} from its JVM", FormatBytes(*received))
                                      : std::string("fetched data from its JVM"));
  finding.evidence = fmt::format("{} of CPU time to receive and decode the data, most of it in {}, through {}",
                                 FormatDuration(fetches.cpu_ns), fetches.line, fetches.call);
  if (const std::string place = PlaceAmongJobs(application, spike); !place.empty()) finding.evidence += "; " + place;
  finding.frames = {fetches.line};
  finding.condition = fmt::format("The driver's Python program grows by at least {}, and receives data over Py4J",
                                  FormatBytes(kMuchGrowth));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.selection.from_ns = from_ns;
  finding.selection.to_ns = to_ns;
  finding.change = FewerRowsAdvice({});
  // The jobs that compute the rows remain.
  const Fetch& line = fetches.of_line;
  const int64_t after_jobs_ns = line.wall_ns - JobTimes(input.application).Between(line.first_ns, line.last_ns);
  // The JVM encodes what Python decodes.
  finding.claim = ClaimWall(std::max(2 * fetches.cpu_ns, after_jobs_ns), kMost);
  return finding;
}

}  // namespace sparkprof

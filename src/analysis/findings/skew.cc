// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/skew.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kFarMore = 2;       // times the median amount of data
constexpr double kSlower = 1.5;      // times the median duration
constexpr int64_t kMuchData = 1000;  // records or bytes: ignore less
constexpr size_t kMostNamedKeys = 20;

struct DataMetric {
  TaskMetric metric;
  const char* noun;
};
constexpr DataMetric kDataMetrics[] = {{TaskMetric::kShuffleReadRecords, "records read from the shuffle"},
                                       {TaskMetric::kShuffleReadBytes, "bytes read from the shuffle"},
                                       {TaskMetric::kInputRecords, "input records"},
                                       {TaskMetric::kInputBytes, "input bytes"},
                                       {TaskMetric::kShuffleWriteRecords, "records written to the shuffle"}};

double TimesMedian(int64_t value, const Quantiles& quantiles) {
  return static_cast<double>(value) / static_cast<double>(std::max<int64_t>(1, quantiles.p50));
}

// The metric with the largest ratio to the median; null if none is far above it.
const DataMetric* ExcessOf(const Tasks& tasks, const StageSummary& stage, uint32_t task) {
  const DataMetric* clearest = nullptr;
  double largest = kFarMore;
  for (const DataMetric& data : kDataMetrics) {
    const int64_t value = tasks.Column(data.metric)[task];
    const double times = TimesMedian(value, stage.Of(data.metric));
    if (value < kMuchData || times < largest) continue;
    clearest = &data;
    largest = times * 1.0001;  // prefer records to bytes for equal ratios
  }
  return clearest;
}

// "7.6 times the median", or "95.0% of the input bytes" where the median is next to nothing.
std::string AmountText(int64_t amount, const StageSummary& stage, const DataMetric& data) {
  constexpr double kReadable = 1000;
  const double times = TimesMedian(amount, stage.Of(data.metric));
  return times < kReadable
             ? fmt::format("{:.1f} times the median", times)
             : fmt::format("{} of the {}", FormatShare(Share(amount, stage.Total(data.metric))), data.noun);
}

}  // namespace

bool HasFarMoreData(const Tasks& tasks, const StageSummary& stage, uint32_t task) {
  return ExcessOf(tasks, stage, task) != nullptr;
}

std::optional<Finding> FindSkew(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Tasks& tasks = input.application.tasks;
  const MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  const Quantiles durations = summary.Of(TaskMetric::kDuration);
  std::vector<uint32_t> heavy;
  int64_t last_heavy = 0, last_other = 0;
  for (const uint32_t task : summary.tasks) {
    const bool slower = static_cast<double>(duration[task]) >= kSlower * static_cast<double>(durations.p50) &&
                        duration[task] - durations.p50 >= kWorthwhileNs;
    if (slower && HasFarMoreData(tasks, summary, task)) {
      heavy.push_back(task);
      last_heavy = std::max(last_heavy, tasks.finish_ns[task]);
    } else {
      last_other = std::max(last_other, tasks.finish_ns[task]);
    }
  }
  if (heavy.empty() || heavy.size() * 2 > summary.tasks.size()) return std::nullopt;
  std::sort(heavy.begin(), heavy.end(), [&](uint32_t a, uint32_t b) { return duration[a] > duration[b]; });
  const uint32_t slowest = heavy.front();
  const DataMetric& data = *ExcessOf(tasks, summary, slowest);
  const int64_t amount = tasks.Column(data.metric)[slowest];

  Finding finding;
  const std::string excess = AmountText(amount, summary, data);
  finding.title = fmt::format("Stage {}: skewed data, {} of {} tasks with up to {}", stage.id, heavy.size(),
                              summary.tasks.size(), excess);
  finding.confidence = 0.9;
  finding.what = fmt::format("In {}, task {} took {}; the median task took {}, the 75th percentile is {}",
                             StageText(stage), tasks.id[slowest], FormatDuration(duration[slowest]),
                             FormatDuration(durations.p50), FormatDuration(durations.p75));
  finding.evidence =
      fmt::format("{} {}, median {} ({}); CPU time {}, median {}", amount, data.noun, summary.Of(data.metric).p50,
                  excess, FormatDuration(tasks.Column(TaskMetric::kExecutorCpuTime)[slowest]),
                  FormatDuration(summary.Of(TaskMetric::kExecutorCpuTime).p50));
  finding.condition = fmt::format(
      "A task has at least {} times the median data and takes at least {} times the median time and at least {} "
      "more; at most half of a stage's tasks are such tasks",
      kFarMore, kSlower, FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  for (size_t i = 0; i < std::min(heavy.size(), kMostNamedKeys); ++i)
    finding.selection.tasks.push_back(tasks.id[heavy[i]]);
  finding.change =
      "Distribute the heavy key: salt it, use a broadcast join, or enable skew join optimization "
      "(spark.sql.adaptive.skewJoin.enabled); for RDDs, use a partitioner that divides the key";
  finding.gain_ns =
      GainOfBalance(input, summary, std::clamp<int64_t>(last_heavy - last_other, 0, duration[slowest] - durations.p50));
  finding.severity = std::max(Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
  return finding;
}

}  // namespace sparkprof

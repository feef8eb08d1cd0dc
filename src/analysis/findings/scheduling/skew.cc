// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"

namespace sparkprof {
namespace {

constexpr double kFarMore = 2;                          // times the median amount of data
constexpr double kSlower = 1.5;                         // times the median duration
constexpr int64_t kManyRecords = 1000;                  // fewer are ignored
constexpr int64_t kMuchData = int64_t{1} << 20;         // bytes; less is ignored
constexpr int64_t kSplit = int64_t{128} << 20;          // Spark's default for files
constexpr int64_t kSkewDelayNs = 100 * kNanosPerMilli;  // time that the stage loses
constexpr size_t kMaxNamedKeys = 20;
constexpr char kSkewJoin[] = "spark.sql.adaptive.skewJoin.enabled";

struct DataMetric {
  const char* noun;
  TaskMetric metric;
  bool is_bytes = false;
  bool is_input = false;
};
constexpr DataMetric kDataMetrics[] = {{"records read from the shuffle", TaskMetric::kShuffleReadRecords},
                                       {"read from the shuffle", TaskMetric::kShuffleReadBytes, true},
                                       {"input records", TaskMetric::kInputRecords, false, true},
                                       {"of input", TaskMetric::kInputBytes, true, true},
                                       {"records written to the shuffle", TaskMetric::kShuffleWriteRecords}};

double TimesMedian(int64_t value, const Quantiles& quantiles) {
  return static_cast<double>(value) / static_cast<double>(std::max<int64_t>(1, quantiles.p50));
}

bool HasCache(const Application& application, const StageSummary& stage) {
  if (stage.tasks.empty()) return false;
  const int32_t row = application.tasks.stage[stage.tasks.front()];
  return row >= 0 && HasCache(application, application.stages[static_cast<size_t>(row)].id);
}

std::string AmountOf(int64_t amount, const DataMetric& data) {
  return fmt::format("{} {}", data.is_bytes ? FormatBytes(amount) : CountText(amount), data.noun);
}

bool StageRuns(const Application& application, const Stage& stage, std::string_view kind, std::string_view part = "") {
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  return std::ranges::any_of(
      operators, [&](const PlanOperator& one) { return Contains(one.kind, kind) && Contains(one.plan->text, part); });
}

// True if the program itself collects the rows of a key, "repartition(12, "region")", without need in the rest of the
// stage.
bool IsOnlyRepartitioned(const Application& application, const Stage& stage) {
  bool is_by_program = false;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    is_by_program |= one.kind.ends_with("Exchange") && Contains(one.plan->text, "REPARTITION_BY_");
    for (const std::string_view grouping : {"Aggregate", "Group", "Window", "Join", "Sort"}) {
      if (Contains(one.kind, grouping)) return false;
    }
  }
  return is_by_program;
}

// Advice by the source of the data and the stage's work.
std::string ChangeForSkew(const Application& application, const Stage& stage, const StageSummary& summary,
                          const DataMetric& data) {
  // No key collected these rows: the task's share of the files, or of other rows, yields more than others.
  if (!data.is_input && summary.Total(TaskMetric::kShuffleReadRecords) == 0 &&
      summary.Total(TaskMetric::kShuffleReadBytes) == 0) {
    return "Divide the work evenly: some parts of the input keep far more rows than others. Read smaller parts, or "
           "repartition() after the filter and before the work that costs most";
  }
  if (data.is_input) {
    return "Divide the input evenly: write files of about the same size, in a format that can be split, or "
           "repartition() after the scan";
  }
  if (StageRuns(application, stage, "Window"))
    return "Partition the window by more columns, or aggregate before it: all rows of a key are in one task";
  if (StageRuns(application, stage, "Join")) {
    const bool is_off = SettingOf(application, kSkewJoin) == std::string_view("false") ||
                        SettingOf(application, "spark.sql.adaptive.enabled") == std::string_view("false");
    const bool is_outer = StageRuns(application, stage, "Join", "Outer");
    return fmt::format("Distribute the heavy key: {}broadcast the other side, or salt the key{}",
                       is_off ? "enable spark.sql.adaptive.enabled and spark.sql.adaptive.skewJoin.enabled, " : "",
                       is_outer ? ". If the key is null in many rows, which an outer join keeps in one task: join only "
                                  "the rows with a key, and unite them with the others"
                                : "");
  }
  if (IsOnlyRepartitioned(application, stage))
    return "Distribute the rows evenly: repartition() without a column, or by more columns. Nothing in the stage needs "
           "the rows of a key in one task";
  if (stage.sql_execution >= 0)
    return "Distribute the heavy key: aggregate in two steps, first by the key and a random number, then by the key";
  return "Distribute the heavy key: salt it, reduce by key instead of grouping (reduceByKey, aggregateByKey), or use a "
         "partitioner that divides the key";
}

// The metric with the largest ratio to the median; null if none is far above it.
const DataMetric* ExcessOf(const Application& application, const StageSummary& stage, uint32_t task) {
  const Tasks& tasks = application.tasks;
  const bool has_cache = HasCache(application, stage);
  const int64_t split_bytes = MemorySetting(application, "spark.sql.files.maxPartitionBytes").value_or(kSplit);
  const DataMetric* clearest = nullptr;
  double largest = kFarMore;
  for (const DataMetric& data : kDataMetrics) {
    const int64_t value = tasks.Column(data.metric)[task];
    const double times = TimesMedian(value, stage.Of(data.metric));
    if (value < (data.is_bytes ? kMuchData : kManyRecords) || times < largest) continue;
    // A task reads the source again if the cached partition was evicted.
    if (data.is_input && has_cache) continue;
    // A full split next to the ends of files is normal.
    const bool is_full_split = value <= split_bytes && value >= split_bytes - split_bytes / 10;
    if (data.is_input && data.is_bytes && is_full_split) continue;
    clearest = &data;
    largest = times * 1.0001;  // prefer records to bytes for equal ratios
  }
  return clearest;
}

// "7.6 times the median", or "95.0% of the input bytes" if the median is close to 0.
std::string AmountText(int64_t amount, const StageSummary& stage, const DataMetric& data) {
  constexpr double kReadable = 1000;
  const double times = TimesMedian(amount, stage.Of(data.metric));
  return times < kReadable ? fmt::format("{:.1f} times the median", times)
                           : fmt::format("{} of the {}", FormatShare(Share(amount, stage.Total(data.metric))),
                                         data.is_bytes ? "data" : data.noun);
}

}  // namespace

bool HasFarMoreData(const Application& application, const StageSummary& stage, uint32_t task) {
  return ExcessOf(application, stage, task) != nullptr;
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
    if (slower && HasFarMoreData(input.application, summary, task)) {
      heavy.push_back(task);
      last_heavy = std::max(last_heavy, tasks.finish_ns[task]);
    } else {
      last_other = std::max(last_other, tasks.finish_ns[task]);
    }
  }
  if (heavy.empty() || heavy.size() * 2 > summary.tasks.size()) return std::nullopt;
  std::ranges::sort(heavy, [&](uint32_t a, uint32_t b) { return duration[a] > duration[b]; });
  const uint32_t slowest = heavy.front();
  const DataMetric& data = *ExcessOf(input.application, summary, slowest);
  const int64_t amount = tasks.Column(data.metric)[slowest];

  Finding finding;
  const std::string excess = AmountText(amount, summary, data);
  finding.title =
      fmt::format("Stage {}: {}, {} of {} tasks with up to {}", stage.id,
                  data.is_input ? "uneven input" : "skewed data", heavy.size(), summary.tasks.size(), excess);
  finding.what = fmt::format("In {}, task {} took {}; the median task took {}, the 75th percentile is {}",
                             StageText(input, stage), tasks.id[slowest], FormatDuration(duration[slowest]),
                             FormatDuration(durations.p50), FormatDuration(durations.p75));
  finding.evidence = fmt::format(
      "{}, median {} ({})", AmountOf(amount, data),
      data.is_bytes ? FormatBytes(summary.Of(data.metric).p50) : CountText(summary.Of(data.metric).p50), excess);
  if (HasCpuTime(input.application)) {
    finding.evidence +=
        fmt::format("; CPU time {}, median {}", FormatDuration(tasks.Column(TaskMetric::kExecutorCpuTime)[slowest]),
                    FormatDuration(summary.Of(TaskMetric::kExecutorCpuTime).p50));
  }
  if (const int64_t python_ns = PythonCpuOfTask(input.application, summary, slowest); python_ns > 0)
    finding.evidence += fmt::format("; {} more in its Python worker", FormatDuration(python_ns));
  finding.condition = fmt::format(
      "A task has at least {} times the median data and takes at least {} times the median time and at least {} more; "
      "at most half of a stage's tasks are such tasks",
      kFarMore, kSlower, FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  for (size_t i = 0; i < std::min(heavy.size(), kMaxNamedKeys); ++i)
    finding.selection.tasks.push_back(tasks.id[heavy[i]]);
  finding.change = ChangeForSkew(input.application, stage, summary, data);
  // The stage cannot end sooner than this with equal tasks.
  const int64_t most_ns = std::max<int64_t>(1, std::min(last_heavy - last_other, duration[slowest] - durations.p50));
  if (GainOfBalance(input, summary, most_ns) < kSkewDelayNs) return std::nullopt;
  finding.claim.removal = kWhole;
  finding.claim.is_moved = true;
  for (const uint32_t task : heavy) finding.claim.tasks.push_back({task, duration[task] - durations.p50});
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

// Half of the rules' limits: explanations closer to their limit are not excluded.
constexpr double kMoreData = 1.5;                  // times the median
constexpr double kLonger = 2;                      // times the median
constexpr double kLittleWaitForPython = 0.2;       // share of wall-clock samples
constexpr double kLittleOfTime = kMuchOfTime / 2;  // share of task time
constexpr int64_t kLittleSpill = int64_t{8} << 20;
constexpr size_t kFewTasks = 4;  // fewer have no meaningful median

class Explanations {
 public:
  Explanations(std::string_view rule, const StageSummary& stage) : rule_(rule), stage_(stage) {}

  // Excludes an explanation whose share is below `least`.
  void AddShare(std::string_view rule, std::string_view name, int64_t part, int64_t whole, double least,
                std::string_view of) {
    if (whole <= 0 || rule == rule_ || Share(part, whole) >= least) return;
    ruled_out_.push_back(fmt::format("{}: {} of {}", name, FormatShare(Share(part, whole)), of));
  }

  // Excludes an explanation whose largest task is below `least` times the median.
  void AddTimesMedian(std::string_view name, TaskMetric metric, double least) {
    const Quantiles values = stage_.Of(metric);
    if (rule_ == "skew" || rule_ == "straggler" || stage_.tasks.size() < kFewTasks || values.p50 <= 0) return;
    const double times = static_cast<double>(values.max) / static_cast<double>(values.p50);
    if (times < least) ruled_out_.push_back(fmt::format("{} {:.1f} times the median", name, times));
  }

  void Add(std::string_view rule, bool is_ruled_out, std::string text) {
    if (is_ruled_out && rule != rule_) ruled_out_.push_back(std::move(text));
  }

  std::vector<std::string> Take() { return std::move(ruled_out_); }

 private:
  const std::string_view rule_;
  const StageSummary& stage_;
  std::vector<std::string> ruled_out_;
};

// The row of the finding's first stage; -1 if it has none.
int32_t RowOfStage(const Application& application, const Finding& finding) {
  if (finding.stages.empty()) return -1;
  const int64_t id = finding.selection.stage.value_or(finding.stages.front());
  const auto stage = std::ranges::find_if(application.stages, [&](const Stage& one) {
    return one.id == id && one.attempt == finding.selection.stage_attempt.value_or(one.attempt);
  });
  return stage == application.stages.end() ? -1 : static_cast<int32_t>(stage - application.stages.begin());
}

}  // namespace

std::vector<std::string> RuledOut(const FindingInput& input, const Finding& finding) {
  const int32_t row = RowOfStage(input.application, finding);
  if (row < 0 || finding.is_failure) return {};
  const StageSummary& stage = input.stages[static_cast<size_t>(row)];
  const int64_t run_ns = stage.Total(TaskMetric::kExecutorRunTime);
  if (run_ns == 0) return {};
  constexpr std::string_view kTaskTime = "task time";
  const int64_t task_ns = stage.Total(TaskMetric::kDuration);
  const int64_t spilled = stage.Total(TaskMetric::kDiskSpilled);
  Explanations all(finding.rule, stage);
  const bool has_records = stage.Total(TaskMetric::kShuffleReadRecords) > 0;
  if (has_records || stage.Total(TaskMetric::kInputRecords) > 0)
    all.AddTimesMedian("Skewed data: the largest task reads",
                       has_records ? TaskMetric::kShuffleReadRecords : TaskMetric::kInputRecords, kMoreData);
  all.AddTimesMedian("Straggler: the slowest task takes", TaskMetric::kDuration, kLonger);
  all.AddShare("gc", "Garbage collection", stage.Total(TaskMetric::kGcTime), task_ns, kLittleOfTime, kTaskTime);
  all.Add("spill", spilled < kLittleSpill,
          spilled == 0 ? "Spill to disk: none" : fmt::format("Spill to disk: {}", FormatBytes(spilled)));
  all.AddShare("fetch-wait", "Waiting for shuffle data", stage.Total(TaskMetric::kShuffleFetchWait), task_ns,
               kLittleOfTime, kTaskTime);
  all.AddShare("scheduler-delay", "Scheduler delay", stage.Total(TaskMetric::kSchedulerDelay), task_ns, kMuchOfTime,
               kTaskTime);
  all.AddShare("python-bound", "Waiting for Python", stage.python_wait_ns, stage.wall_samples_ns, kLittleWaitForPython,
               "wall-clock samples");
  all.AddShare("lock", "Waiting for locks", stage.lock_ns, stage.wall_samples_ns, kLittleOfTime, "wall-clock samples");
  all.Add("failed-work", stage.failed_tasks == 0, "Failed tasks: none");
  return all.Take();
}

}  // namespace sparkprof

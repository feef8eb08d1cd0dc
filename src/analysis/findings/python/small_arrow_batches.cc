// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/time/time_spent.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr char kBatchSize[] = "spark.sql.execution.arrow.maxRecordsPerBatch";
constexpr int64_t kSmallArrowBatch = 1'000;    // rows; Spark's default is 10,000
constexpr int64_t kManyArrowBatches = 10'000;  // per operator
constexpr int64_t kSlowBatches = 100, kSlowBatchNs = 5'000'000;
constexpr int64_t kMaxNsPerBatch = 2'000'000;  // measured: 150 µs to 1.1 ms on an idle machine
constexpr int64_t kNsPerBatch =
    150'000;  // to build, send and read a batch: Arrow's schema and buffers, for any number of rows

// Wall-clock time in which the stages' tasks are outside the JVM, in Python; 0 without Spark's CPU time.
int64_t TimeOutsideJvm(const FindingInput& input, const std::vector<int64_t>& stages) {
  int64_t time_ns = 0;
  if (!HasCpuTime(input.application)) return 0;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    if (std::find(stages.begin(), stages.end(), input.application.stages[row].id) == stages.end()) continue;
    const double outside = ShareOfPythonWait(input.stages[row]);
    time_ns += static_cast<int64_t>(static_cast<double>(input.stages[row].wall_ns) * std::clamp(outside, 0.0, 1.0));
  }
  return time_ns;
}

// The rows that a Python operator gets in Arrow batches which groups do not limit.
int64_t RowsInBatches(const PlanOperator& one) {
  return GetsArrowBatches(one.kind) ? std::max(one.rows_in.value_or(0), one.rows_out.value_or(0)) : 0;
}

}  // namespace

std::optional<Finding> FindSmallArrowBatches(const FindingInput& input) {
  const auto setting = SettingOf(input.application, kBatchSize);
  const int64_t size = setting ? ParseInteger(*setting).value_or(0) : 0;
  if (size <= 0 || size >= kSmallArrowBatch) return std::nullopt;
  const std::optional<PlacedOperator> python = WorstOperator(input.application, RowsInBatches);
  const int64_t batches = python ? RowsInBatches(python->one) / size : 0;
  if (batches < kSlowBatches) return std::nullopt;
  const int64_t python_ns = TimeOutsideJvm(input, python->one.stages), each_ns = python_ns * input.cores / batches;
  // Samples show what a function does for each batch.
  const bool is_slow = !HasSamples(input.application) && each_ns >= kSlowBatchNs;
  if (batches < kManyArrowBatches && !is_slow) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Python workers get their rows in batches of {}", size);
  finding.what = fmt::format("{} sends {} rows to Python in about {} Arrow batches", OperatorText(*python),
                             CountText(RowsInBatches(python->one)), CountText(batches));
  finding.evidence = fmt::format("{}={}", kBatchSize, size);
  finding.condition = fmt::format(
      "{} is below {}, and a Python operator gets at least {} batches; without samples, at least {} that take {} each",
      kBatchSize, kSmallArrowBatch, kManyArrowBatches, kSlowBatches, FormatDuration(kSlowBatchNs));
  PointAt(*python, &finding);
  finding.change = fmt::format(
      "Remove {} (Spark's default is 10000), or set it as high as the memory of the workers "
      "permits",
      kBatchSize);
  // Unless the function is slow, most of it is the batch's own cost.
  const int64_t batches_ns = std::min(batches * kMaxNsPerBatch / input.cores, python_ns);
  finding.claim =
      ClaimStages(input, python->one.stages, python_ns > 0 ? batches_ns : batches * kNsPerBatch / input.cores, kHalf);
  if (is_slow) {
    finding.title += fmt::format(", {} for each", FormatDuration(each_ns));
    finding.change +=
        ". If the function loads or builds something (a model, a table), do that once for each task, in a pandas UDF "
        "on an iterator of batches, or once for each worker, in a global variable";
    finding.claim = ClaimStages(input, python->one.stages, python_ns, kSome);
  }
  if (python_ns > 0) finding.evidence += fmt::format("; {} outside the JVM for each batch", FormatDuration(each_ns));
  return finding;
}

}  // namespace sparkprof

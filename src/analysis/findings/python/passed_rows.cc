// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyPickledRows = 1'000'000;
constexpr int64_t kManyBytes = int64_t{64} << 20;
constexpr int64_t kManyColumns = 20;
// Cost of pickling a row and calling a function for it, compared with Arrow batches: about 2 µs for one number, and 0.1
// µs per byte for larger rows, in the JVM and in Python.
constexpr int64_t kNsPerRow = 2'000, kNsPerByte = 100;
constexpr char kArrow[] = "spark.sql.execution.pythonUDF.arrow.enabled";

int64_t BytesPassed(const PlanNode& node) {
  return ValueOf(node, "data sent to Python workers").value_or(0) +
         ValueOf(node, "data returned from Python workers").value_or(0);
}

int64_t CostOfPickling(const PlanOperator& one) {
  if (one.kind != "BatchEvalPython") return 0;
  const int64_t rows = one.rows_out.value_or(0), bytes = BytesPassed(*one.plan);
  if (rows < kManyPickledRows && bytes < kManyBytes) return 0;
  return std::max(rows * kNsPerRow, bytes * kNsPerByte);
}

// The number of columns that its functions get: "f(a#1, b#2)#3", "g(struct(a, a#1, b, b#2, ... 146 more fields))#3".
int64_t ColumnsPassed(std::string_view text) {
  const std::string_view calls = text.substr(0, text.find("], ["));
  int64_t columns = std::ranges::count(calls, '#') - 1;
  int64_t more = 0;
  static const re2::RE2 cut(R"(\.\.\. (\d+) more fields)");
  // A struct has the name and the value of each column.
  if (re2::RE2::PartialMatch(calls, cut, &more)) columns += more / 2;
  return columns;
}

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
    if (!Contains(stages, input.application.stages[row].id)) continue;
    const double outside = ShareOfPythonWait(input.stages[row]);
    time_ns += Scaled(input.stages[row].wall_ns, std::clamp(outside, 0.0, 1.0));
  }
  return time_ns;
}

// The rows that a Python operator gets in Arrow batches which groups do not limit.
int64_t RowsInBatches(const PlanOperator& one) {
  return GetsArrowBatches(one.kind) ? std::max(one.rows_in.value_or(0), one.rows_out.value_or(0)) : 0;
}

}  // namespace

std::optional<Finding> FindPickledRows(const FindingInput& input) {
  const std::optional<PlacedOperator> python = WorstOperator(input.application, CostOfPickling);
  if (!python) return std::nullopt;
  const int64_t rows = python->one.rows_out.value_or(0), bytes = BytesPassed(python->node());
  const int64_t columns = ColumnsPassed(python->node().text);
  const bool is_wide = columns >= kManyColumns;
  Finding finding;
  finding.title = is_wide ? fmt::format("A Python function gets {} columns of {} rows pickled, without Arrow", columns,
                                        CountText(rows))
                          : fmt::format("A Python function gets {} rows pickled, without Arrow", CountText(rows));
  finding.what =
      fmt::format("{} pickles each row for the Python workers, and its result for the JVM", OperatorText(*python));
  finding.evidence = fmt::format("{:.200}", python->node().text);
  if (bytes > 0) finding.evidence += fmt::format("; {} passed to the workers and back", FormatBytes(bytes));
  finding.condition =
      fmt::format("A Python function that is called for each row gets at least {} rows or {} without Arrow",
                  kManyPickledRows, FormatBytes(kManyBytes));
  PointAt(*python, &finding);
  if (is_wide) finding.change = "Pass only the columns that the function reads, instead of struct(\"*\"). ";
  finding.change += fmt::format(
      "Use a built-in function instead. Otherwise pass the rows with Arrow: udf(…, useArrow=True) or {}=true (Spark "
      "3.5 and later), or a pandas UDF, which gets a batch of rows at once",
      kArrow);
  const int64_t stages_ns = TimeOfStages(input, python->one.stages);
  finding.claim =
      ClaimStages(input, python->one.stages, std::min(stages_ns, CostOfPickling(python->one) / input.cores), kMost);
  return finding;
}

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
      "Remove {} (Spark's default is 10000), or set it as high as the memory of the workers permits", kBatchSize);
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

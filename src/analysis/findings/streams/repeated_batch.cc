// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"

namespace sparkprof {
namespace {

constexpr size_t kSeveralActions = 2;  // per batch

struct BatchReads {
  std::string text;
  std::map<const StreamingBatch*, std::vector<std::set<int64_t>>> stages;  // stages of each query, by batch
};

// A query of a batch scans the rows that foreachBatch() gets, which Spark shows as an RDD, or the files of a table. A
// batch's own files have different names in each batch; those of table formats may not.
bool IsBatch(const PlanOperator& one) { return Contains(one.plan->name, "ExistingRDD"); }

bool IsTable(const PlanOperator& one) {
  const std::string_view location = FieldOf(one.plan->text, "Location: ");
  return (location.starts_with("InMemoryFileIndex") || location.starts_with("CatalogFileIndex")) &&
         !Contains(location, "...");
}

using ReadsOfSources = std::map<std::string, BatchReads>;

ReadsOfSources ReadsOf(const Application& application, const BatchTimes& batches,
                       bool (*is_wanted)(const PlanOperator&)) {
  ReadsOfSources sources;
  std::set<std::pair<std::string, int64_t>> known;  // a stage shared by several queries ran once
  for (const SqlExecution& sql : application.sql_executions) {
    const StreamingBatch* const batch = batches.At(sql.start_ns);
    if (batch == nullptr || batch->input_rows == 0) continue;
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    for (const PlanOperator& one : operators) {
      if (one.stages.empty() || !is_wanted(one) || IsBelowCache(operators, one)) continue;
      const std::string name = SourceOf(operators, one);
      std::set<int64_t> stages;
      for (const int64_t stage : one.stages) {
        if (known.emplace(name, stage).second) stages.insert(stage);
      }
      if (name.empty() || stages.empty()) continue;
      BatchReads& source = sources[name];
      source.text = SourceText(one);
      source.stages[batch].push_back(std::move(stages));
    }
  }
  return sources;
}

struct BatchSaving {
  std::string text;
  size_t batches = 0;
  size_t most_reads = 0;  // reads of one batch
  int64_t saved_ns = 0;
  int64_t most_ns = 0;
  std::vector<int64_t> stages;
};

class BatchSavings {
 public:
  explicit BatchSavings(const FindingInput& input) {
    for (size_t row = 0; row < input.stages.size(); ++row)
      time_of_stage_[input.application.stages[row].id] += input.stages[row].wall_ns;
  }

  // Each batch would be computed once.
  BatchSaving OfBatches(const BatchReads& source) {
    BatchSaving saving;
    for (const auto& [batch, queries] : source.stages) {
      if (queries.size() < kSeveralActions) continue;
      ++saving.batches;
      saving.most_reads = std::max(saving.most_reads, queries.size());
      Add(queries, &saving);
    }
    return saving;
  }

  // A table would be read once for all batches.
  BatchSaving OfTable(const BatchReads& source) {
    BatchSaving saving{source.text, source.stages.size()};
    std::vector<std::set<int64_t>> of_batches;
    for (const auto& [batch, queries] : source.stages) {
      std::set<int64_t>& all = of_batches.emplace_back();
      for (const std::set<int64_t>& stages : queries) all.insert(stages.begin(), stages.end());
    }
    if (of_batches.size() >= kManyQueriesRead) Add(of_batches, &saving);
    return saving;
  }

 private:
  void Add(const std::vector<std::set<int64_t>>& reads, BatchSaving* saving) {
    std::vector<int64_t> times_ns;
    for (const std::set<int64_t>& stages : reads) {
      int64_t time_ns = 0;
      for (const int64_t stage : stages) time_ns += time_of_stage_[stage];
      times_ns.push_back(time_ns);
      saving->most_ns += time_ns;
      saving->stages.insert(saving->stages.end(), stages.begin(), stages.end());
    }
    saving->most_ns -= *std::ranges::max_element(times_ns);
    saving->saved_ns += TimeInCommon(std::move(times_ns));
  }

  std::unordered_map<int64_t, int64_t> time_of_stage_;
};

Finding FindingOfReads(const BatchSaving& saving, bool is_of_batch) {
  Finding finding;
  if (is_of_batch) {
    finding.title = fmt::format("foreachBatch() runs up to {} queries on a batch, and each computes the batch again",
                                saving.most_reads);
    finding.what = fmt::format("In {} batches, several queries scan the rows of the batch, which is not kept",
                               CountText(static_cast<int64_t>(saving.batches)));
    finding.change =
        "Call persist() on the batch at the start of the function of foreachBatch(), and unpersist() at its end";
  } else {
    finding.title = fmt::format("{} batches read the same table again, without a cache: {}",
                                CountText(static_cast<int64_t>(saving.batches)), saving.text);
    finding.what = fmt::format("A streaming query scans {} in each of {} batches", saving.text,
                               CountText(static_cast<int64_t>(saving.batches)));
    finding.change =
        "If the table does not change while the query runs, cache() its DataFrame before the query starts. If it does, "
        "read it again once in a while";
  }
  finding.stages = saving.stages;
  return finding;
}

constexpr size_t kManyWrites = 5;
constexpr int64_t kOutputTimesLarger = 2;  // last output compared with the first

struct BatchWrite {
  int64_t rows = 0;
  int64_t input_rows = 0;  // rows of the batch, repeated for each query that reads them
  std::set<int64_t> stages;
};

// By row of the streaming query, in order of time.
std::map<int32_t, std::vector<BatchWrite>> WritesOfBatches(const Application& application) {
  const BatchTimes batches(application);
  std::map<int32_t, std::vector<BatchWrite>> writes;
  for (const SqlExecution& sql : application.sql_executions) {
    const StreamingBatch* const batch = batches.At(sql.start_ns);
    if (batch == nullptr || batch->input_rows == 0) continue;
    BatchWrite write{.input_rows = batch->input_rows};
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      write.stages.insert(one.stages.begin(), one.stages.end());
      if (IsWrite(one.kind)) write.rows = std::max(write.rows, ValueOf(*one.plan, "number of output rows").value_or(0));
    }
    if (write.rows > 0) writes[batch->query].push_back(std::move(write));
  }
  return writes;
}

// True if the output grows with each batch but the input does not: it repeats what earlier batches wrote.
bool WritesAllAgain(const std::vector<BatchWrite>& writes) {
  for (size_t i = 1; i < writes.size(); ++i) {
    if (writes[i].rows <= writes[i - 1].rows) return false;
  }
  const BatchWrite &first = writes.front(), &last = writes.back();
  return writes.size() >= kManyWrites && last.rows >= kOutputTimesLarger * first.rows &&
         last.input_rows < kOutputTimesLarger * first.input_rows;
}

}  // namespace

std::optional<Finding> FindRepeatedBatches(const FindingInput& input) {
  const Application& application = input.application;
  if (application.streaming_batches.empty()) return std::nullopt;
  const BatchTimes batches(application);
  BatchSavings savings(input);
  BatchSaving worst;
  bool is_of_batch = false;
  const auto consider = [&](BatchSaving saving, bool of_batch) {
    if (saving.saved_ns <= worst.saved_ns) return;
    worst = std::move(saving);
    is_of_batch = of_batch;
  };
  for (const auto& [name, source] : ReadsOf(application, batches, IsBatch)) consider(savings.OfBatches(source), true);
  for (const auto& [name, source] : ReadsOf(application, batches, IsTable)) consider(savings.OfTable(source), false);
  if (worst.saved_ns < kWorthwhileNs || Share(worst.saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  Finding finding = FindingOfReads(worst, is_of_batch);
  finding.evidence = fmt::format("the stages that scan it take {} more than the longest scan{}",
                                 FormatDuration(worst.most_ns), is_of_batch ? " of each batch" : "");
  finding.condition = fmt::format(
      "At least {} queries of one batch of a stream scan its rows, or at least {} batches scan the same files, and "
      "what they have in common takes at least {} of the duration",
      kSeveralActions, kManyQueriesRead, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  // Computing a batch's rows costs more than caching them. If a batch ends earlier, the stream may just wait longer for
  // its trigger.
  const Removal removal = is_of_batch ? kMost : kHalf;
  finding.claim = ClaimStages(input, worst.stages, worst.saved_ns, HasBusyStream(application) ? removal : kNothing);
  return finding;
}

std::optional<Finding> FindRewrittenOutput(const FindingInput& input) {
  if (input.application.streaming_batches.empty()) return std::nullopt;
  int64_t most_ns = 0, time_ns = 0;
  std::vector<BatchWrite> worst;
  for (auto& [query, writes] : WritesOfBatches(input.application)) {
    if (!WritesAllAgain(writes)) continue;
    int64_t again_ns = 0, all_ns = 0;
    for (size_t i = 0; i < writes.size(); ++i) {
      const BatchWrite& one = writes[i];
      const int64_t of_write_ns = TimeOfStages(input, {one.stages.begin(), one.stages.end()});
      const double again = i == 0 ? 0 : Share(writes[i - 1].rows, one.rows);
      again_ns += Scaled(of_write_ns, again);
      all_ns += of_write_ns;
    }
    if (again_ns <= most_ns) continue;
    most_ns = again_ns;
    time_ns = all_ns;
    worst = std::move(writes);
  }
  if (most_ns < kWorthwhileNs || Share(most_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  Finding finding;
  const int64_t rows = worst.back().rows, before = worst[worst.size() - 2].rows;
  finding.title = fmt::format("Each batch of a stream writes all of its output again: {} rows, {} of them new",
                              CountText(rows), CountText(rows - before));
  finding.what = fmt::format("The output of {} batches grows from {} rows to {}", worst.size(),
                             CountText(worst.front().rows), CountText(rows));
  finding.evidence = fmt::format("the queries that write it take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "Each of at least {} batches of a stream writes more rows than the one before, the last one at least {} times "
      "those of the first, from an input that does not grow that much",
      kManyWrites, kOutputTimesLarger);
  finding.selection.event = EventName(Event::kCpu);
  for (const BatchWrite& one : worst) finding.stages.insert(finding.stages.end(), one.stages.begin(), one.stages.end());
  finding.change =
      "Append the rows of the batch, and compute the latest state where it is read, or less often; or use a table "
      "format that merges (Delta, Iceberg, Hudi) and writes only the files that change";
  finding.claim = ClaimStages(input, finding.stages, most_ns, HasBusyStream(input.application) ? kMost : kNothing);
  return finding;
}

}  // namespace sparkprof

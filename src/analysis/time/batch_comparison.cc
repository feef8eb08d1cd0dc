// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/batch_comparison.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

using Part = BatchDifference::Part;

constexpr std::string_view kDuration = "duration";
constexpr std::string_view kLongestTask = "longestTask";
constexpr std::string_view kWholeBatch = "triggerExecution";  // Spark's name; the other phases are parts of it

constexpr TaskMetric kComparedMetrics[] = {
    TaskMetric::kExecutorRunTime,    TaskMetric::kExecutorCpuTime,   TaskMetric::kGcTime,
    TaskMetric::kSchedulerDelay,     TaskMetric::kDeserializeTime,   TaskMetric::kShuffleFetchWait,
    TaskMetric::kShuffleWriteTime,   TaskMetric::kInputBytes,        TaskMetric::kInputRecords,
    TaskMetric::kOutputBytes,        TaskMetric::kOutputRecords,     TaskMetric::kShuffleReadBytes,
    TaskMetric::kShuffleReadRecords, TaskMetric::kShuffleWriteBytes, TaskMetric::kShuffleWriteRecords,
    TaskMetric::kMemorySpilled,      TaskMetric::kDiskSpilled};

// The number in Spark's description, "…\nbatch = 12"; -1 if there is none.
int64_t BatchIn(std::string_view description) {
  constexpr std::string_view kKey = "batch = ";
  const size_t at = description.rfind(kKey);
  if (at == std::string_view::npos) return -1;
  return ParseInteger(description.substr(at + kKey.size())).value_or(-1);
}

// Spark runs the jobs of a batch in the group of its query's run.
bool IsOf(const Job& job, const StreamingQuery& query, const StreamingBatch& batch) {
  if (job.group != query.run_id) return false;
  if (const int64_t id = BatchIn(job.description); id >= 0) return id == batch.id;
  return job.submit_ns >= batch.start_ns && job.submit_ns <= batch.start_ns + batch.duration_ns;
}

struct Number {
  std::string_view label;
  std::string_view unit;
  int64_t value = 0;
};

// A stage attempt that ran, with the numbers of its tasks.
struct StageOfBatch {
  int64_t id = -1;
  std::string name;
  std::map<std::string_view, Number> numbers;
};

// Stages by name, and the index among those with the same name.
using StagesOfBatch = std::map<std::pair<std::string, size_t>, StageOfBatch>;

class BatchStages {
 public:
  explicit BatchStages(const Application& application) : application_(application) {}

  StagesOfBatch Of(const StreamingQuery& query, const StreamingBatch& batch) const {
    std::set<int64_t> ids;
    for (const Job& job : application_.jobs) {
      if (IsOf(job, query, batch)) ids.insert(job.stages.begin(), job.stages.end());
    }
    std::map<std::pair<int64_t, int64_t>, size_t> rows;  // rows of the stages that ran, by ID and attempt
    for (size_t row = 0; row < application_.stages.size(); ++row) {
      const Stage& stage = application_.stages[row];
      if (ids.contains(stage.id) && stage.submit_ns > 0 && stage.end_ns > 0) rows[{stage.id, stage.attempt}] = row;
    }
    StagesOfBatch stages;
    std::map<std::string, size_t> places;
    std::map<int32_t, StageOfBatch*> by_row;
    for (const auto& [key, row] : rows) {
      const Stage& stage = application_.stages[row];
      StageOfBatch& added = stages[{stage.name, places[stage.name]++}];
      added.id = stage.id;
      added.name = stage.name;
      added.numbers[kDuration] = {kDuration, "ns", stage.end_ns - stage.submit_ns};
      by_row[static_cast<int32_t>(row)] = &added;
    }
    AddTasks(by_row);
    return stages;
  }

 private:
  void AddTasks(const std::map<int32_t, StageOfBatch*>& by_row) const {
    const Tasks& tasks = application_.tasks;
    for (size_t row = 0; row < tasks.Size(); ++row) {
      const auto stage = by_row.find(tasks.stage[row]);
      if (stage == by_row.end()) continue;
      auto& numbers = stage->second->numbers;
      ++numbers.try_emplace("numTasks", Number{"tasks", "count"}).first->second.value;
      int64_t& longest_ns = numbers.try_emplace(kLongestTask, Number{"longest task", "ns"}).first->second.value;
      longest_ns = std::max<int64_t>(longest_ns, tasks.Column(TaskMetric::kDuration)[row]);
      for (const TaskMetric metric : kComparedMetrics) {
        Number& sum =
            numbers.try_emplace(Text(metric).name, Number{Text(metric).label, Text(metric).unit}).first->second;
        AddSaturated(tasks.Column(metric)[row], &sum.value);
      }
    }
  }

  const Application& application_;
};

void AddStages(const StagesOfBatch& slowest, const StagesOfBatch& median, std::vector<BatchDifference>* differences) {
  std::vector<std::vector<BatchDifference>> stages;
  for (const auto& [key, stage] : slowest) {
    const auto other = median.find(key);
    std::vector<BatchDifference>& added = stages.emplace_back();
    for (const auto& [name, number] : stage.numbers) {
      BatchDifference difference{
          Part::kStage, std::string(name), std::string(number.label), std::string(number.unit), stage.id, stage.name,
          number.value, std::nullopt};
      if (other != median.end()) {
        const auto same = other->second.numbers.find(name);
        if (same != other->second.numbers.end()) difference.median = same->second.value;
      }
      if (name != kDuration && difference.slowest == 0 && difference.median.value_or(0) == 0) continue;
      // The duration comes first: stages are sorted by it.
      added.insert(name == kDuration ? added.begin() : added.end(), std::move(difference));
    }
  }
  std::ranges::stable_sort(stages,
                           [](const auto& a, const auto& b) { return a.front().Excess() > b.front().Excess(); });
  for (std::vector<BatchDifference>& stage : stages)
    differences->insert(differences->end(), std::make_move_iterator(stage.begin()),
                        std::make_move_iterator(stage.end()));
}

void AddPhases(const StreamingBatch& slowest, const StreamingBatch& median, std::vector<BatchDifference>* differences) {
  std::vector<BatchDifference> sorted;
  for (const auto& [name, duration_ns] : slowest.phases_ns) {
    if (name == kWholeBatch) continue;
    BatchDifference& phase =
        sorted.emplace_back(BatchDifference{Part::kPhase, name, name, "ns", -1, {}, duration_ns, std::nullopt});
    for (const auto& [other, other_ns] : median.phases_ns) {
      if (other == name) phase.median = other_ns;
    }
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.Excess() > b.Excess(); });
  differences->insert(differences->end(), std::make_move_iterator(sorted.begin()),
                      std::make_move_iterator(sorted.end()));
}

void AddBatch(const StreamingBatch& slowest, const StreamingBatch& median, std::vector<BatchDifference>* differences) {
  const auto add = [&](std::string_view name, std::string_view label, std::string_view unit, int64_t of_slowest,
                       int64_t of_median) {
    if (of_slowest == 0 && of_median == 0) return;
    differences->push_back(
        {Part::kBatch, std::string(name), std::string(label), std::string(unit), -1, {}, of_slowest, of_median});
  };
  add(kDuration, kDuration, "ns", slowest.duration_ns, median.duration_ns);
  add("numInputRows", "input rows", "count", slowest.input_rows, median.input_rows);
  add("stateRows", "state rows", "count", slowest.state_rows, median.state_rows);
  add("stateMemoryBytes", "state memory", "bytes", slowest.state_bytes, median.state_bytes);
}

const BatchDifference* First(const std::vector<BatchDifference>& differences, Part part) {
  const auto found = std::ranges::find_if(differences, [part](const BatchDifference& one) { return one.part == part; });
  return found == differences.end() || found->Excess() <= 0 ? nullptr : &*found;
}

}  // namespace

const BatchDifference* BatchComparison::LargestPhase() const { return First(differences, Part::kPhase); }

const BatchDifference* BatchComparison::LargestStage() const { return First(differences, Part::kStage); }

const BatchDifference* BatchComparison::Cause() const {
  constexpr double kMuchMore = 1.5;
  constexpr double kMuchOfExcess = 0.3;
  const BatchDifference* const stage = LargestStage();
  if (stage == nullptr) return nullptr;
  // Precedence: wait times, if they are a large part of the additional task time; then the longest task, if the stage
  // waits for it; then the metric with the largest factor.
  const BatchDifference *wait = nullptr, *longest = nullptr, *amount = nullptr;
  int64_t run_time_ns = 0;
  const auto ratio = [](const BatchDifference& one) {
    return static_cast<double>(one.slowest) / static_cast<double>(std::max<int64_t>(1, one.median.value_or(0)));
  };
  for (const BatchDifference& one : differences) {
    if (one.part != Part::kStage || one.stage != stage->stage || one.Excess() <= 0) continue;
    const bool is_time = one.unit == "ns";
    if (one.name == Text(TaskMetric::kExecutorRunTime).name) {
      run_time_ns = one.Excess();
    } else if (one.name == kLongestTask) {
      longest = &one;
    } else if (is_time && one.name != kDuration && one.name != Text(TaskMetric::kExecutorCpuTime).name) {
      if (wait == nullptr || one.Excess() > wait->Excess()) wait = &one;
    } else if (!is_time && ratio(one) >= kMuchMore) {
      if (amount == nullptr || ratio(one) > ratio(*amount)) amount = &one;
    }
  }
  const auto is_much_of = [](const BatchDifference* one, int64_t excess_ns) {
    return one != nullptr && static_cast<double>(one->Excess()) >= kMuchOfExcess * static_cast<double>(excess_ns);
  };
  if (is_much_of(wait, std::max(run_time_ns, stage->Excess()))) return wait;
  if (amount != nullptr) return amount;
  return is_much_of(longest, stage->Excess()) ? longest : nullptr;
}

std::vector<BatchComparison> CompareBatches(const Application& application) {
  std::vector<std::vector<const StreamingBatch*>> of_queries(application.streaming_queries.size());
  for (const StreamingBatch& batch : application.streaming_batches) {
    if (batch.input_rows > 0) of_queries[static_cast<size_t>(batch.query)].push_back(&batch);
  }
  const BatchStages stages(application);
  std::vector<BatchComparison> comparisons;
  for (size_t row = 0; row < of_queries.size(); ++row) {
    std::vector<const StreamingBatch*>& batches = of_queries[row];
    if (batches.size() <= kComparedBatches) continue;
    batches.erase(batches.begin());
    std::ranges::stable_sort(batches, [](const auto* a, const auto* b) { return a->duration_ns < b->duration_ns; });
    BatchComparison comparison;
    comparison.query = &application.streaming_queries[row];
    comparison.slowest = batches.back();
    comparison.median = batches[(batches.size() - 1) / 2];
    comparison.batches = batches.size();
    AddBatch(*comparison.slowest, *comparison.median, &comparison.differences);
    AddPhases(*comparison.slowest, *comparison.median, &comparison.differences);
    AddStages(stages.Of(*comparison.query, *comparison.slowest), stages.Of(*comparison.query, *comparison.median),
              &comparison.differences);
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

}  // namespace sparkprof

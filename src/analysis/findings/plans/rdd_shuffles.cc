// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr double kOnePass = 1.2;  // cost of keeping the first rows of each partition, relative to reading
constexpr double kFewPartitionsRead = 0.5;

// "sortBy at job.py:23"
bool IsSort(std::string_view name) { return name.starts_with("sortBy at ") || name.starts_with("sortByKey at "); }

// True if the job returns the first rows. PySpark's take() and first() have the same call site.
bool ReturnsFirstRows(std::string_view name) {
  for (const std::string_view begin : {"take at ", "first at ", "head at ", "runJob at PythonRDD.scala"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

struct StageTime {
  const Stage* stage = nullptr;
  int64_t wall_ns = 0;
};

// Successful stages by ID.
std::map<int64_t, StageTime> StagesById(const FindingInput& input) {
  std::map<int64_t, StageTime> stages;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& stage = input.application.stages[row];
    if (stage.status == RunStatus::kSucceeded) stages[stage.id] = {&stage, input.stages[row].wall_ns};
  }
  return stages;
}

// A sort of all rows by one line: passes over the rows to count and sample them, and the sort itself.
struct FullSort {
  std::string line;
  int64_t job = -1;  // ID of the job that reads a part of it
  int64_t read_tasks = 0;
  int64_t sort_tasks = 0;
  int64_t all_ns = 0;
  int64_t shortest_pass_ns = 0;
  std::vector<int64_t> stages;  // the sort's first

  // A sort without other passes still reads the rows once.
  int64_t Saved() const {
    const auto pass_ns = static_cast<int64_t>(kOnePass * static_cast<double>(shortest_pass_ns));
    return stages.size() < 2 ? 0 : std::max<int64_t>(0, all_ns - pass_ns);
  }
};

using NamesOfJobs = std::unordered_map<int64_t, std::string_view>;

std::optional<FullSort> SortOfJob(const Job& job, const std::map<int64_t, StageTime>& stages,
                                  const NamesOfJobs& names) {
  if (!ReturnsFirstRows(job.name) || job.stages.size() < 2) return std::nullopt;
  const StageTime* sort = nullptr;
  const StageTime* last = nullptr;
  for (const int64_t id : job.stages) {
    const auto stage = stages.find(id);
    if (stage == stages.end()) continue;
    if (IsSort(stage->second.stage->name)) sort = &stage->second;
    if (last == nullptr || id > last->stage->id) last = &stage->second;
  }
  if (sort == nullptr || last == sort) return std::nullopt;
  FullSort found{ShortCallSite(sort->stage->name), job.id, last->stage->task_count, sort->stage->task_count};
  if (static_cast<double>(found.read_tasks) > kFewPartitionsRead * static_cast<double>(found.sort_tasks))
    return std::nullopt;
  found.stages = {sort->stage->id};
  found.all_ns = found.shortest_pass_ns = sort->wall_ns;
  // Earlier jobs that count and sample the rows, with as many tasks as the sort has partitions, back to the previous
  // sort of the same line.
  for (auto other = stages.find(sort->stage->id); other != stages.begin();) {
    const Stage& stage = *(--other)->second.stage;
    if (stage.name != sort->stage->name) continue;
    const auto name = names.find(stage.job);
    if (name == names.end() || !IsSort(name->second)) break;
    if (stage.task_count != found.sort_tasks) continue;
    found.stages.push_back(stage.id);
    found.all_ns += other->second.wall_ns;
    found.shortest_pass_ns = std::min(found.shortest_pass_ns, other->second.wall_ns);
  }
  return found;
}

constexpr int64_t kMuchGrouped = int64_t{32} << 20;
constexpr int64_t kTimesSmaller = 5;  // output of the stage relative to its input

// A stage that reads all rows of each key, and the stages that write them.
struct Grouping {
  std::string call;  // "groupByKey at job.py:6"
  size_t reader = 0;
  std::vector<size_t> writers;
};

// groupByKey() is the call of the RDD that reads the groups in a JVM program, and of the stage that writes them in a
// Python program.
std::vector<Grouping> GroupingsOf(const Application& application) {
  std::unordered_map<int64_t, size_t> rows;
  for (size_t row = 0; row < application.stages.size(); ++row) rows.try_emplace(application.stages[row].id, row);
  std::vector<Grouping> groupings;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    Grouping grouping{stage.grouped_by, row, {}};
    for (const int64_t parent : stage.parents) {
      const auto writer = rows.find(parent);
      if (writer == rows.end()) continue;
      const std::string& name = application.stages[writer->second].name;
      if (grouping.call.empty() && name.starts_with("groupBy")) grouping.call = name;
      grouping.writers.push_back(writer->second);
    }
    if (!grouping.call.empty() && !grouping.writers.empty()) groupings.push_back(std::move(grouping));
  }
  return groupings;
}

int64_t BytesThatLeave(const StageSummary& summary) {
  return summary.Total(TaskMetric::kOutputBytes) + summary.Total(TaskMetric::kShuffleWriteBytes) +
         summary.Total(TaskMetric::kResultSize);
}

}  // namespace

std::optional<Finding> FindFullSorts(const FindingInput& input) {
  const std::map<int64_t, StageTime> stages = StagesById(input);
  NamesOfJobs names;
  for (const Job& job : input.application.jobs) names[job.id] = job.name;
  std::optional<FullSort> worst;
  for (const Job& job : input.application.jobs) {
    const std::optional<FullSort> found = SortOfJob(job, stages, names);
    if (found && (!worst || found->Saved() > worst->Saved())) worst = found;
  }
  if (!worst || worst->Saved() < kWorthwhileNs || Share(worst->Saved(), input.duration_ns) < kNoticeable)
    return std::nullopt;
  Finding finding;
  finding.title = "All rows of an RDD are sorted to read the first of them";
  finding.what = fmt::format("{} sorts {} of rows, and job {} reads {} of the sorted ones", worst->line,
                             Counted(worst->sort_tasks, "partition"), worst->job, CountText(worst->read_tasks));
  finding.evidence =
      fmt::format("the {} stages that count, sample and sort the rows take {}, the shortest {}", worst->stages.size(),
                  FormatDuration(worst->all_ns), FormatDuration(worst->shortest_pass_ns));
  finding.condition = fmt::format(
      "A job of take() or first() reads at most {} as many partitions as sortBy() or sortByKey() sorted, and a single "
      "pass over the rows would save at least {} of the duration",
      FormatShare(kFewPartitionsRead), FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = worst->stages;
  if (!worst->line.empty()) finding.frames = {worst->line};
  finding.change =
      "Use takeOrdered() or top() instead of sortBy() and take(): each task keeps only the first rows of its "
      "partition, and nothing is shuffled";
  finding.claim = ClaimStages(input, finding.stages, worst->Saved(), kMost);
  return finding;
}

std::optional<Finding> FindGroupedRows(const FindingInput& input) {
  const Application& application = input.application;
  std::optional<Finding> worst;
  int64_t most_ns = 0;
  for (const Grouping& grouping : GroupingsOf(application)) {
    const Stage& stage = application.stages[grouping.reader];
    const StageSummary& reader = input.stages[grouping.reader];
    const int64_t bytes = reader.Total(TaskMetric::kShuffleReadBytes), left = BytesThatLeave(reader);
    const bool is_of_library = !WorkOf(input, stage).library.empty();
    // Cached groups have other uses than this result.
    const bool is_kept = HasCache(application, stage.id);
    if (bytes < kMuchGrouped || left > bytes / kTimesSmaller || is_of_library || is_kept) continue;
    std::vector<int64_t> stages = {stage.id};
    int64_t time_ns = reader.wall_ns;
    for (const size_t writer : grouping.writers) {
      stages.push_back(application.stages[writer].id);
      time_ns += input.stages[writer].wall_ns;
    }
    if (time_ns <= most_ns || Share(time_ns, input.duration_ns) < kMuchOfTime) continue;
    most_ns = time_ns;
    const std::string line = ShortCallSite(grouping.call), call = line.substr(0, line.find(' '));
    Finding& finding = worst.emplace();
    finding.title = fmt::format("{}() shuffles {} to keep {}", call, FormatBytes(bytes), FormatBytes(left));
    finding.what = fmt::format("{} brings all rows of each key to one task, which keeps them as objects", line);
    finding.evidence =
        fmt::format("writing and reading the groups takes {}; {} of shuffle, and {} leave {}", FormatDuration(time_ns),
                    FormatBytes(bytes), FormatBytes(left), StageText(input, stage));
    finding.condition = fmt::format(
        "groupByKey() or groupBy() of an RDD shuffles at least {}, at most 1/{} of it leaves the stage that reads it, "
        "nothing keeps the groups, and both stages take at least {} of the duration",
        FormatBytes(kMuchGrouped), kTimesSmaller, FormatShare(kMuchOfTime));
    finding.selection = SelectStage(stage, Event::kCpu);
    finding.change =
        "Combine before the shuffle: reduceByKey() or aggregateByKey() for sums, counts and extremes, or a DataFrame's "
        "groupBy().agg(). Only what needs all values of a key at once has to group them";
    finding.stages = stages;
    if (IsOfProgram(line)) finding.frames = {line};
    finding.claim = ClaimStages(input, stages, time_ns, kHalf);
  }
  return worst;
}

}  // namespace sparkprof

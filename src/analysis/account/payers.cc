// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/payers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/plans/operator_join.h"
#include "analysis/plans/plan_text.h"
#include "analysis/python/held_lines.h"
#include "base/saturate.h"
#include "base/share.h"
#include "base/text/contains.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kShortTaskNs = 200 * kNanosPerMilli;
constexpr int64_t kLargeResult = 1 << 20;  // bytes; larger ones are fetched from the executor
constexpr int64_t kSmallBlock = 64 << 10;  // bytes of a shuffle block

// Relative allocation of an operator per row: Spark's own rows are reused buffers, others become objects.
int64_t ObjectsOfRow(std::string_view kind, std::string_view text) {
  if (IsPythonOperator(kind) || kind == "ObjectHashAggregate") return 20;
  if (Contains(text, "collect_list") || Contains(text, "collect_set")) return 20;
  for (const std::string_view of_objects : {"DeserializeToObject", "SerializeFromObject", "Map", "AppendColumns"}) {
    if (kind.starts_with(of_objects)) return 20;
  }
  const bool is_text = Contains(text, "Format: CSV") || Contains(text, "Format: JSON");
  return kind == "Generate" || kind == "Expand" || is_text ? 10 : 1;
}

bool CollectsOldObjects(const Application& application) {
  double old_ns = 0, young_ns = 0;
  for (const ApplicationSeries& series : application.series) {
    const bool is_old = series.name == "jvm.gc_old_time_ns";
    if ((!is_old && series.name != "jvm.gc_young_time_ns") || series.points.empty()) continue;
    (is_old ? old_ns : young_ns) += series.points.back().value - series.points.front().value;
  }
  return old_ns > young_ns;
}

}  // namespace

class Payers::Knowledge {
 public:
  Knowledge(const Application& application, const std::vector<StageSummary>& stages, const std::vector<UdfCost>& udfs);

  std::string Of(const AccountEntry& entry) const;
  const SqlOperator* Allocator(size_t row) const;  // null = unknown, or program code

 private:
  // A way to find the payer for the stage in a row; after an empty result, the next one is tried.
  using Question = std::string (Knowledge::*)(size_t row) const;
  struct Answerable {
    AccountPart part;
    Question question;
  };
  static const Answerable kQuestions[];

  // Allocations (bytes, or rows weighted by their objects) by operator or program line.
  struct Allocations {
    std::map<const SqlOperator*, int64_t> operators;
    std::map<std::string, int64_t> lines;
  };
  Allocations PlannedAllocations(size_t row) const;

  std::string FullHeap(size_t row) const;
  std::string WhoAllocates(size_t row) const;
  std::string Starts(size_t row) const;
  std::string LargeResults(size_t row) const;
  std::string NumberOfTasks(size_t row) const;
  std::string Action(size_t row) const;
  std::string NumberOfBlocks(size_t row) const;
  std::string PythonFunction(size_t row) const;
  std::string PythonWorkers(size_t row) const;
  std::string BusyPython(size_t row) const;
  std::string SleepingLine(size_t row) const;
  std::string LockingLine(size_t row) const;
  std::string Spill(size_t row) const;
  std::string Failure(size_t row) const;
  std::string NumberOfPartitions(size_t row) const;
  std::string LongestTask(size_t row) const;

  // The program line with the most weight in these samples (rows).
  template <typename Filter>
  std::string LineOf(const std::vector<uint32_t>& samples, Filter&& filter) const;
  std::string TextOf(const SqlOperator& one) const;
  std::vector<const SqlOperator*> OperatorsOfStage(size_t row) const;

  const Application& application_;
  const std::vector<StageSummary>& stages_;
  const OperatorJoin operators_;
  const std::vector<UdfCost>& udfs_;
  std::unordered_map<int64_t, std::vector<const SqlOperator*>> operators_of_stage_;  // by stage ID
  std::unordered_map<int64_t, int64_t> tasks_of_stage_;                              // planned number by stage ID
  std::vector<Allocations> sampled_;                                                 // by stage row
  bool collects_old_objects_ = false;  // collections of the old generation take most of the GC time
};

// In order of precedence, by the part that they explain.
const Payers::Knowledge::Answerable Payers::Knowledge::kQuestions[] = {
    {AccountPart::kGc, &Knowledge::FullHeap},
    {AccountPart::kGc, &Knowledge::WhoAllocates},
    {AccountPart::kDeserialization, &Knowledge::Starts},
    {AccountPart::kDeserialization, &Knowledge::NumberOfTasks},
    {AccountPart::kSchedulerDelay, &Knowledge::LargeResults},
    {AccountPart::kSchedulerDelay, &Knowledge::NumberOfTasks},
    {AccountPart::kResultSerialization, &Knowledge::Action},
    {AccountPart::kGettingResult, &Knowledge::Action},
    {AccountPart::kFetch, &Knowledge::NumberOfBlocks},
    {AccountPart::kPython, &Knowledge::PythonFunction},
    {AccountPart::kPythonStart, &Knowledge::PythonWorkers},
    {AccountPart::kCpuWait, &Knowledge::BusyPython},
    {AccountPart::kSleep, &Knowledge::SleepingLine},
    {AccountPart::kLock, &Knowledge::LockingLine},
    {AccountPart::kOtherWait, &Knowledge::Spill},
    {AccountPart::kLostWork, &Knowledge::Failure},
    {AccountPart::kWave, &Knowledge::NumberOfPartitions},
    {AccountPart::kSkew, &Knowledge::LongestTask}};

Payers::Knowledge::Knowledge(const Application& application, const std::vector<StageSummary>& stages,
                             const std::vector<UdfCost>& udfs)
    : application_(application),
      stages_(stages),
      operators_(application),
      udfs_(udfs),
      sampled_(stages.size()),
      collects_old_objects_(CollectsOldObjects(application)) {
  for (const SqlOperator& one : operators_.Operators()) {
    for (const int64_t stage : one.one.stages) operators_of_stage_[stage].push_back(&one);
  }
  for (const Stage& stage : application.stages) tasks_of_stage_[stage.id] = stage.task_count;
  const Profile& profile = application.profile;
  std::vector<Sample> samples;
  const EventId alloc = profile.Row(Event::kAlloc);
  std::ranges::copy_if(profile.samples, std::back_inserter(samples),
                       [&](const Sample& sample) { return sample.event == alloc; });
  if (samples.empty()) return;
  const std::vector<int32_t> tasks = application.TaskRows();
  const std::vector<int32_t> operators = operators_.Join(samples, operators_.OfProfile());
  for (size_t row = 0; row < samples.size(); ++row) {
    const int32_t task = tasks[samples[row].task];
    const int32_t stage = task < 0 ? -1 : application.tasks.stage[static_cast<size_t>(task)];
    if (stage < 0) continue;
    Allocations& allocations = sampled_[static_cast<size_t>(stage)];
    if (operators[row] != OperatorJoin::kNone) {
      AddSaturated(samples[row].weight,
                   &allocations.operators[&operators_.Operators()[static_cast<size_t>(operators[row])]]);
    } else if (const std::string line = UserLine(profile, samples[row].stack); !line.empty()) {
      AddSaturated(samples[row].weight, &allocations.lines[line]);
    }
  }
}

std::string Payers::Knowledge::Of(const AccountEntry& entry) const {
  for (const Answerable& one : kQuestions) {
    if (one.part != entry.part) continue;
    if (std::string payer = (this->*one.question)(static_cast<size_t>(entry.stage)); !payer.empty()) return payer;
  }
  return {};
}

std::string Payers::Knowledge::TextOf(const SqlOperator& one) const {
  const SqlExecution& sql = application_.sql_executions[static_cast<size_t>(one.sql)];
  return fmt::format("{} of query {}", one.one.kind, sql.id);
}

std::vector<const SqlOperator*> Payers::Knowledge::OperatorsOfStage(size_t row) const {
  const auto found = operators_of_stage_.find(application_.stages[row].id);
  return found == operators_of_stage_.end() ? std::vector<const SqlOperator*>() : found->second;
}

std::string Payers::Knowledge::FullHeap(size_t) const {
  return collects_old_objects_ ? "a heap that is small for what it holds" : "";
}

Payers::Knowledge::Allocations Payers::Knowledge::PlannedAllocations(size_t row) const {
  Allocations planned;
  for (const SqlOperator* const one : OperatorsOfStage(row)) {
    const PlanOperator& placed = one->one;
    if (IsExchange(placed.kind)) continue;
    const int64_t rows = std::max(placed.rows_in.value_or(0), placed.rows_out.value_or(0));
    int64_t weight = 0;
    if (!__builtin_mul_overflow(rows, ObjectsOfRow(placed.kind, placed.plan->text), &weight))
      AddSaturated(weight, &planned.operators[one]);
  }
  return planned;
}

const SqlOperator* Payers::Knowledge::Allocator(size_t row) const {
  const bool is_sampled = !sampled_[row].operators.empty() || !sampled_[row].lines.empty();
  const Allocations allocations = is_sampled ? sampled_[row] : PlannedAllocations(row);
  const auto line = LargestEntry(allocations.lines);
  const auto by_operator = LargestEntry(allocations.operators);
  const bool is_of_line = line != allocations.lines.end() &&
                          (by_operator == allocations.operators.end() || line->second > by_operator->second);
  return is_of_line || by_operator == allocations.operators.end() ? nullptr : by_operator->first;
}

std::string Payers::Knowledge::WhoAllocates(size_t row) const {
  if (const SqlOperator* const one = Allocator(row)) return TextOf(*one);
  const auto line = LargestEntry(sampled_[row].lines);
  return line == sampled_[row].lines.end() ? std::string() : line->first;
}

std::string Payers::Knowledge::Starts(size_t row) const {
  const std::vector<int64_t>& launches = application_.tasks.launch_ns;
  for (const uint32_t task : stages_[row].tasks) {
    const int32_t executor = application_.tasks.executor[task];
    const int64_t add_ns = executor < 0 ? 0 : application_.executors[static_cast<size_t>(executor)].add_ns;
    constexpr int64_t kStartNs = 10 * kNanosPerSecond;
    if (add_ns > 0 && launches[task] - add_ns < kStartNs) return "start of executors";
  }
  return {};
}

std::string Payers::Knowledge::NumberOfTasks(size_t row) const {
  return stages_[row].Of(TaskMetric::kDuration).p50 < kShortTaskNs ? "number of tasks" : "";
}

std::string Payers::Knowledge::LargeResults(size_t row) const {
  return stages_[row].Of(TaskMetric::kResultSize).p50 >= kLargeResult ? Action(row) : "";
}

std::string Payers::Knowledge::Action(size_t row) const { return ShortCallSite(application_.stages[row].name); }

std::string Payers::Knowledge::NumberOfBlocks(size_t row) const {
  int64_t blocks = 0;
  for (const int64_t parent : application_.stages[row].parents) {
    const auto tasks = tasks_of_stage_.find(parent);
    if (tasks != tasks_of_stage_.end()) AddSaturated(tasks->second, &blocks);
  }
  const auto tasks = static_cast<int64_t>(stages_[row].tasks.size());
  if (blocks == 0 || tasks == 0 || __builtin_mul_overflow(blocks, tasks, &blocks)) return {};
  return stages_[row].Total(TaskMetric::kShuffleReadBytes) / blocks < kSmallBlock ? "number of partitions" : "";
}

std::string Payers::Knowledge::PythonFunction(size_t row) const {
  const int64_t stage = application_.stages[row].id;
  for (const UdfCost& udf : udfs_) {
    const bool ran = std::ranges::binary_search(udf.stages, stage);
    if (ran) return LabelOf(udf);
  }
  const std::vector<const SqlOperator*> operators = OperatorsOfStage(row);
  const auto python =
      std::ranges::find_if(operators, [](const SqlOperator* one) { return IsPythonOperator(one->one.kind); });
  return python == operators.end() ? std::string() : TextOf(**python);
}

std::string Payers::Knowledge::PythonWorkers(size_t) const { return "start of Python workers"; }

std::string Payers::Knowledge::BusyPython(size_t row) const {
  return stages_[row].python_runnable_ns > stages_[row].cpu_samples_ns ? "Python workers" : "";
}

template <typename Filter>
std::string Payers::Knowledge::LineOf(const std::vector<uint32_t>& samples, Filter&& filter) const {
  std::map<StackId, int64_t> stacks;
  for (const uint32_t row : samples) {
    const Sample& sample = application_.profile.samples[row];
    if (filter(sample)) AddSaturated(sample.weight, &stacks[sample.stack]);
  }
  std::map<std::string, int64_t> lines;
  for (const auto& [stack, weight] : stacks) {
    if (const std::string line = UserLine(application_.profile, stack); !line.empty())
      AddSaturated(weight, &lines[line]);
  }
  const auto most = LargestEntry(lines);
  return most == lines.end() ? std::string() : most->first;
}

std::string Payers::Knowledge::SleepingLine(size_t row) const {
  const EventId wall = application_.profile.Row(Event::kWall);
  return LineOf(stages_[row].samples, [wall](const Sample& sample) {
    return sample.event == wall && sample.state == ThreadState::kSleeping;
  });
}

std::string Payers::Knowledge::LockingLine(size_t row) const {
  return LineOf(stages_[row].lock_samples, [](const Sample&) { return true; });
}

std::string Payers::Knowledge::Spill(size_t row) const {
  const SqlOperator* most = nullptr;
  for (const SqlOperator* const one : OperatorsOfStage(row)) {
    const int64_t bytes = one->one.spill_bytes.value_or(0);
    if (bytes > 0 && (most == nullptr || bytes > most->one.spill_bytes)) most = one;
  }
  return most == nullptr ? std::string() : "spill of " + TextOf(*most);
}

std::string Payers::Knowledge::Failure(size_t row) const {
  std::map<std::string, int64_t> reasons;
  const Tasks& tasks = application_.tasks;
  for (const uint32_t task : stages_[row].tasks) {
    const std::string_view reason = application_.profile.strings.Get(tasks.reason[task]);
    if (!reason.empty()) ++reasons[std::string(reason.substr(0, reason.find_first_of("\n(:")))];
  }
  const auto most = LargestEntry(reasons);
  return most == reasons.end() ? std::string() : most->first;
}

std::string Payers::Knowledge::NumberOfPartitions(size_t row) const {
  return stages_[row].tasks.size() == 1 ? "one partition" : "number of partitions";
}

std::string Payers::Knowledge::LongestTask(size_t row) const {
  const Tasks& tasks = application_.tasks;
  const MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  const std::vector<uint32_t>& rows = stages_[row].tasks;
  const auto longest =
      std::ranges::max_element(rows, [&](uint32_t a, uint32_t b) { return duration[a] < duration[b]; });
  return longest == rows.end() ? std::string() : fmt::format("task {}", tasks.id[*longest]);
}

Payers::Payers(const Application& application, const std::vector<StageSummary>& stages,
               const std::vector<UdfCost>& udfs)
    : application_(application), stages_(stages), udfs_(udfs) {}

Payers::~Payers() = default;

const Payers::Knowledge& Payers::Known() const {
  std::call_once(once_, [&] { known_ = std::make_unique<const Knowledge>(application_, stages_, udfs_); });
  return *known_;
}

std::string Payers::Of(const AccountEntry& entry) const {
  return !entry.payer.empty() || entry.stage < 0 ? entry.payer : Known().Of(entry);
}

bool Payers::PythonAllocates(size_t stage) const {
  const SqlOperator* const one = Known().Allocator(stage);
  return one != nullptr && IsPythonOperator(one->one.kind);
}

}  // namespace sparkprof

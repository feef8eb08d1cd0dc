// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/operator_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/plans/engine_times.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

constexpr TimedWork kTimedWork[] = {TimedWork::kSort, TimedWork::kAggregate, TimedWork::kBuild, TimedWork::kScan};

// Elapsed time per 1 ns of wall-clock samples, by row of the profile's tasks: a busy machine delays the sampler, but
// not Spark's clock.
std::vector<double> ElapsedPerSample(const Application& application, EventId wall) {
  std::vector<double> sampled_ns(application.profile.tasks.size());
  for (const Sample& sample : application.profile.samples) {
    if (sample.event == wall && sample.category == Category::kTask) {
      sampled_ns[sample.task] += static_cast<double>(sample.weight);
    }
  }
  std::vector<double> ratios(sampled_ns.size(), 1.0);
  const std::vector<int32_t> rows = application.TaskRows();
  const MetricColumn& run_time_ns = application.tasks.Column(TaskMetric::kExecutorRunTime);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || sampled_ns[i] <= 0) continue;
    const auto run_ns = static_cast<double>(run_time_ns[static_cast<size_t>(rows[i])]);
    if (run_ns > 0) ratios[i] = run_ns / sampled_ns[i];
  }
  return ratios;
}

class SampleSums {
 public:
  SampleSums(const Application& application, OperatorCosts* costs)
      : profile_(application.profile),
        cpu_(profile_.Row(Event::kCpu)),
        wall_(profile_.Row(Event::kWall)),
        elapsed_(ElapsedPerSample(application, wall_)),
        costs_(costs) {}

  void Add(const OperatorJoin& join) {
    const std::vector<int32_t> rows =
        join.Join(profile_.samples, join.OfProfile(), [this](size_t sample, const TimedSamples& timed) {
          const Sample& of = profile_.samples[sample];
          Times& times = timed_[{timed.operator_row, timed.timed}];
          if (of.event == cpu_) AddSaturated(of.weight, &times.cpu_ns);
          if (of.event == wall_) times.wall_ns += static_cast<double>(of.weight) * elapsed_[of.task];
        });
    for (size_t i = 0; i < rows.size(); ++i) {
      const Sample& sample = profile_.samples[i];
      if (sample.event == cpu_ && join.IsOfSql(sample)) {
        has_cpu_ = true;
        AddSaturated(sample.weight, &costs_->cpu_ns);
        if (rows[i] == OperatorJoin::kNone) AddSaturated(sample.weight, &costs_->unassigned_cpu_ns);
      }
      has_wall_ |= sample.event == wall_ && join.IsOfSql(sample);
      if (rows[i] == OperatorJoin::kNone) continue;
      Sums& sums = sums_[rows[i]];
      if (sample.event == cpu_) AddSaturated(sample.weight, &sums.cpu_ns);
      if (Waits(sample)) AddSaturated(sample.weight, &sums.wait_ns);
    }
  }

  void Fill(int32_t row, const PlanOperator& one, OperatorCost* cost) const {
    const bool ran = !one.stages.empty() || sums_.contains(row);
    const auto found = sums_.find(row);
    const Sums sums = found == sums_.end() ? Sums() : found->second;
    if (has_cpu_ && ran) cost->cpu_ns = sums.cpu_ns;
    if (has_wall_ && ran) cost->wait_ns = sums.wait_ns;
    for (const TimedWork work : kTimedWork) {
      const std::string_view metric = MetricName(*one.plan, work);
      if (metric.empty()) continue;
      MeasuredTime& measured = cost->measured.emplace_back();
      measured.metric = metric;
      measured.metric_ns = *ValueOf(*one.plan, metric);
      const auto timed = timed_.find({row, work});
      const Times times = timed == timed_.end() ? Times() : timed->second;
      if (has_wall_ || has_cpu_) measured.sampled_ns = has_wall_ ? std::llround(times.wall_ns) : times.cpu_ns;
    }
  }

 private:
  struct Sums {
    int64_t cpu_ns = 0;
    int64_t wait_ns = 0;
  };
  struct Times {
    int64_t cpu_ns = 0;
    double wall_ns = 0;
  };

  // The CPU time of a worker that runs while the task's thread waits for it is in the worker's samples.
  bool Waits(const Sample& sample) const {
    return sample.event == wall_ && sample.state == ThreadState::kSleeping && sample.python != PythonState::kRunning;
  }

  const Profile& profile_;
  const EventId cpu_;
  const EventId wall_;
  const std::vector<double> elapsed_;
  OperatorCosts* costs_;
  bool has_cpu_ = false;
  bool has_wall_ = false;
  std::map<int32_t, Sums> sums_;
  std::map<std::pair<int32_t, TimedWork>, Times> timed_;
};

// Computes an operator's elapsed time without the times that Spark measured below it in the same pipeline: an
// aggregate's build time includes reading its input.
class ElapsedCosts {
 public:
  explicit ElapsedCosts(const std::vector<SqlOperator>& operators) : operators_(operators) {}

  // `first`: row of the plan's first operator.
  std::optional<int64_t> Own(size_t row, size_t first) const {
    const std::optional<int64_t> whole = Whole(row);
    if (!whole) return std::nullopt;
    return std::max<int64_t>(0, *whole - (IncludesInput(row) ? Below(row, first) : 0));
  }

 private:
  const PlanOperator& At(size_t row) const { return operators_[row].one; }

  std::optional<int64_t> Whole(size_t row) const {
    // An engine operator's own time includes its parts; only a scan also runs on Spark's threads.
    const bool is_of_engine = EngineOfOperator(At(row).plan->name) != nullptr;
    for (const TimedWork work : kTimedWork) {
      if (is_of_engine && work != TimedWork::kScan) continue;
      if (const std::optional<int64_t> value = ValueOf(*At(row).plan, work)) return value;
    }
    return std::nullopt;
  }

  bool IncludesInput(size_t row) const {
    return ValueOf(*At(row).plan, TimedWork::kAggregate) || At(row).kind == "ShuffledHashJoin";
  }

  // Time of the nearest operators with one. A join builds its hash table before the operators above start.
  int64_t Below(size_t row, size_t first) const {
    int64_t sum = 0;
    for (const int32_t input : At(row).inputs) {
      const size_t below = first + static_cast<size_t>(input);
      if (IsExchange(At(below).kind)) continue;
      const bool counts = Whole(below) && !ValueOf(*At(below).plan, TimedWork::kBuild);
      sum += counts ? *Whole(below) : Below(below, first);
    }
    return sum;
  }

  const std::vector<SqlOperator>& operators_;
};

// Skips a metric that is already present with samples.
void AddMeasured(const EngineMetric& metric, std::vector<MeasuredTime>* measured) {
  const bool is_known =
      std::ranges::any_of(*measured, [&](const MeasuredTime& known) { return known.metric == metric.name; });
  if (!is_known) measured->push_back({metric.name, metric.ns, std::nullopt});
}

void FillEngineTime(const PlanNode& node, OperatorCost* cost) {
  const EngineTime time = EngineTimeOf(node);
  for (const EngineMetric& metric : time.metrics) AddMeasured(metric, &cost->measured);
  if (time.inclusive) {
    AddMeasured(*time.inclusive, &cost->measured);
    cost->inclusive_ns = time.inclusive->ns;
  }
  if (!time.own_ns) return;
  if (time.engine == nullptr) {
    int64_t elapsed_ns = *time.own_ns;
    AddSaturated(cost->elapsed_ns.value_or(0), &elapsed_ns);
    cost->elapsed_ns = elapsed_ns;
  } else {
    (time.engine->clock == EngineClock::kGpu ? cost->gpu_ns : cost->native_ns) = time.own_ns;
  }
}

}  // namespace

OperatorCosts CostOfOperators(const Application& application) {
  const OperatorJoin join(application);
  OperatorCosts costs;
  costs.operators = join.Operators();
  costs.costs.resize(costs.operators.size());
  SampleSums sums(application, &costs);
  sums.Add(join);
  const ElapsedCosts elapsed(costs.operators);
  size_t first = 0;
  for (size_t row = 0; row < costs.operators.size(); ++row) {
    const SqlOperator& each = costs.operators[row];
    if (costs.operators[first].sql != each.sql) first = row;
    OperatorCost& cost = costs.costs[row];
    sums.Fill(static_cast<int32_t>(row), each.one, &cost);
    cost.elapsed_ns = elapsed.Own(row, first);
    FillEngineTime(*each.one.plan, &cost);
    if (!cost.wait_ns) cost.wait_ns = ValueOf(*each.one.plan, "fetch wait time");
  }
  return costs;
}

}  // namespace sparkprof

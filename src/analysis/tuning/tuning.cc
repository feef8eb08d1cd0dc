// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuning/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/comparison/what_if.h"
#include "analysis/findings/advice.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/contains.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kRestMargin = 1.2;     // factor on memory beyond the heap
constexpr double kNearlyFull = 0.9;     // utilization of a heap
constexpr double kMoreHeap = 1.5;       // factor on a heap that is too small
constexpr double kLeastSpeedup = 0.95;  // minimum effect of more executors
constexpr int64_t kMaxTimesExecutors = 4;

std::string Was(const Application& application, std::string_view key, std::string_view otherwise) {
  if (const auto in_code = SettingInCode(application, key)) return std::string(*in_code);
  return std::string(SettingOf(application, key).value_or(otherwise));
}

// The 95th percentile, nearest rank, which nearly all runs stay below. For fewer than 20 runs, the maximum.
int64_t NearlyLargest(std::vector<int64_t> values) {
  constexpr double kQuantile = 0.95;
  std::ranges::sort(values);
  const auto rank = static_cast<size_t>(std::ceil(kQuantile * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

// The first run, with resources that suffice for nearly all of them.
Resources NearlyLargest(const std::vector<TunedRun>& runs) {
  std::vector<Resources> uses;
  for (const TunedRun& run : runs) uses.push_back(ResourcesOf(*run.application));
  Resources all = uses.front();
  for (int64_t Resources::*const member : {&Resources::peak_heap_bytes, &Resources::live_heap_bytes,
                                           &Resources::peak_rest_bytes, &Resources::spilled_bytes}) {
    std::vector<int64_t> values;
    for (const Resources& use : uses) values.push_back(use.*member);
    // A run without the value is no evidence about the others.
    const bool is_missing = Contains(values, 0);
    all.*member = member == &Resources::live_heap_bytes && is_missing ? 0 : NearlyLargest(std::move(values));
  }
  for (const Resources& use : uses) all.gc_share = std::max(all.gc_share, use.gc_share);
  return all;
}

class Tuner {
 public:
  Tuner(const std::vector<TunedRun>& runs, TuningGoal goal)
      : runs_(runs), application_(*runs.front().application), answers_(*runs.front().answers), goal_(goal) {
    tuning_.recorded = NearlyLargest(runs);
    heap_bytes_ = tuning_.recorded.heap_bytes;
    overhead_bytes_ = tuning_.recorded.overhead_bytes;
    executors_ = tuning_.recorded.executors;
    const auto duration = static_cast<double>(tuning_.recorded.duration_ns);
    tuning_.duration_ns = {duration, duration};
  }

  Tuning Take() {
    TuneHeap();
    TuneOverhead();
    TuneExecutors();
    TakeAdvice();
    Predict();
    return std::move(tuning_);
  }

 private:
  void Add(std::string_view key, std::string value, std::string was, std::string why) {
    if (value == was || Has(key)) return;
    if (SettingInCode(application_, key)) why += "; the program sets it in its code, where it must change";
    tuning_.settings.push_back({std::string(key), std::move(value), std::move(was), std::move(why)});
  }

  bool Has(std::string_view key) const {
    return std::ranges::any_of(tuning_.settings, [&](const TunedSetting& one) { return one.key == key; });
  }

  bool HasFinding(std::string_view rule) const {
    return std::ranges::any_of(answers_.findings, [&](const Finding& one) { return one.rule == rule; });
  }

  // Executors of Databricks use their whole machine.
  bool HasFixedExecutors() const {
    return SettingOf(application_, "spark.databricks.clusterUsageTags.clusterId").has_value();
  }

  void TuneHeap() {
    const Resources& use = tuning_.recorded;
    if (use.heap_bytes == 0 || use.peak_heap_bytes == 0) return;
    const bool is_full = static_cast<double>(use.peak_heap_bytes) >= kNearlyFull * static_cast<double>(use.heap_bytes);
    // Memory also runs out on a GPU, or in a container.
    const bool is_short = is_full && (HasFinding("oom") || use.gc_share >= kMuchGc);
    const std::string was = Was(application_, use.HeapSetting(), MemoryText(use.heap_bytes));
    if (is_short) {
      heap_bytes_ = RoundedMemory(static_cast<double>(use.heap_bytes) * kMoreHeap);
      return Add(use.HeapSetting(), MemoryText(heap_bytes_), was,
                 fmt::format("The heap held {} of {}, and GC took {} of the tasks' time",
                             FormatBytes(use.peak_heap_bytes), FormatBytes(use.heap_bytes), FormatShare(use.gc_share)));
    }
    const int64_t wanted = SmallerHeap(use);
    if (wanted == 0 || goal_ == TuningGoal::kTime) return;
    if (HasFinding("oom") || HasFinding("lost-executors") || HasFixedExecutors()) return;
    heap_bytes_ = wanted;
    tuning_.duration_ns.high *= kMaxSlowdown;  // a smaller heap is collected more often
    const std::string in_runs = runs_.size() == 1 ? "" : fmt::format(" in {} runs", runs_.size());
    if (wanted > use.peak_heap_bytes) {
      const double margin = static_cast<double>(wanted) / static_cast<double>(use.peak_heap_bytes) - 1;
      return Add(use.HeapSetting(), MemoryText(wanted), was,
                 fmt::format("The fullest heap held {}{}; this leaves a margin of {:.0f}%",
                             FormatBytes(use.peak_heap_bytes), in_runs, 100 * margin));
    }
    Add(use.HeapSetting(), MemoryText(wanted), was,
        fmt::format("The fullest heap held {}{}, but collections left at most {} in it",
                    FormatBytes(use.peak_heap_bytes), in_runs, FormatBytes(use.live_heap_bytes)));
  }

  void TuneOverhead() {
    const Resources& use = tuning_.recorded;
    if (use.is_local || use.peak_rest_bytes == 0) return;
    const int64_t wanted =
        std::max(kLeastOverhead, RoundedMemory(static_cast<double>(use.peak_rest_bytes) * kRestMargin));
    const double share = static_cast<double>(wanted) / static_cast<double>(std::max<int64_t>(use.overhead_bytes, 1));
    if (share > kWorthChanging && share <= kRestMargin) return;
    overhead_bytes_ = wanted;
    Add("spark.executor.memoryOverhead", MemoryText(wanted),
        Was(application_, "spark.executor.memoryOverhead", MemoryText(use.overhead_bytes)),
        fmt::format("Beside the heap, the processes of an executor held up to {}", FormatBytes(use.peak_rest_bytes)));
  }

  Prediction With(int64_t executors) const {
    return sparkprof::Predict(application_, {.cores = executors * tuning_.recorded.cores_each});
  }

  // Suggests the fewest executors that are about as fast, or as many as still make it faster.
  void TuneExecutors() {
    const Resources& use = tuning_.recorded;
    if (use.is_local || use.executors <= 1 || use.cores_each <= 0 || HasFixedExecutors()) return;
    const Prediction now = With(use.executors);
    if (now.recorded_ns == 0) return;
    const auto slower = [&](const Prediction& other) {
      return static_cast<double>(other.predicted_ns) / static_cast<double>(now.predicted_ns);
    };
    int64_t best = use.executors;
    if (goal_ == TuningGoal::kCost) {
      for (int64_t low = 1; low < best;) {  // fewer executors are never faster
        const int64_t middle = low + (best - low) / 2;
        if (slower(With(middle)) <= kMaxSlowdown) {
          best = middle;
        } else {
          low = middle + 1;
        }
      }
      if (static_cast<double>(best) > kWorthChanging * static_cast<double>(use.executors)) return;
    } else {
      double fastest = 1;
      for (int64_t more = 2 * use.executors; more <= kMaxTimesExecutors * use.executors; more *= 2) {
        const double ratio = slower(With(more));
        if (ratio > kLeastSpeedup * fastest) break;
        fastest = ratio;
        best = more;
      }
      if (best == use.executors) return;
    }
    executors_ = best;
    const Prediction then = With(best);
    tuning_.duration_ns = {static_cast<double>(then.low_ns), static_cast<double>(then.high_ns)};
    const bool is_dynamic = IsEnabled(application_, "spark.dynamicAllocation.enabled");
    // Standalone masters start as many executors as the cores allow.
    const bool is_standalone =
        application_.master.starts_with("spark://") || application_.master.starts_with("local-cluster");
    const int64_t times = is_standalone && !is_dynamic ? use.cores_each : 1;
    const std::string_view key = is_dynamic      ? "spark.dynamicAllocation.maxExecutors"
                                 : is_standalone ? "spark.cores.max"
                                                 : "spark.executor.instances";
    Add(key, std::to_string(best * times), Was(application_, key, std::to_string(use.executors * times)),
        fmt::format("With {} executors the recorded tasks take {} instead of {}", best,
                    FormatDuration(then.predicted_ns), FormatDuration(now.predicted_ns)));
  }

  // Applies findings whose advice contains a setting and its value: "Set spark.python.worker.reuse=true".
  void TakeAdvice() {
    const auto recorded = static_cast<double>(tuning_.recorded.duration_ns);
    for (const Finding& finding : answers_.findings) {
      bool is_first = true;
      for (const auto& [key, now, is_in_code, value] : AdvisedSettings(application_, finding.change)) {
        const bool is_own = Contains(key, "emory") || Contains(key, "nstances");
        const bool is_ignored = tuning_.recorded.is_local && key.starts_with("spark.executor.");
        if (is_own || is_ignored || Has(key)) continue;
        const size_t before = tuning_.settings.size();
        Add(key, value, Was(application_, key, "Spark's default"), finding.title);
        // Overlapping savings are included in the finding that they overlap with.
        if (tuning_.settings.size() == before || !is_first || !finding.overlaps.empty()) continue;
        is_first = false;
        const auto low = static_cast<double>(finding.saving.low_ns), high = static_cast<double>(finding.saving.high_ns);
        tuning_.duration_ns.low = std::max(0.1 * recorded, tuning_.duration_ns.low - high);
        tuning_.duration_ns.high = std::max(tuning_.duration_ns.low, tuning_.duration_ns.high - low);
      }
    }
  }

  void Predict() {
    const Resources& use = tuning_.recorded;
    if (use.duration_ns == 0) return;
    const auto recorded = static_cast<double>(use.duration_ns);
    const double gb = use.GbHours(executors_, heap_bytes_ + overhead_bytes_);
    const double cores =
        use.executors > 0 ? use.core_hours * static_cast<double>(executors_) / static_cast<double>(use.executors) : 0;
    const double low = tuning_.duration_ns.low / recorded, high = tuning_.duration_ns.high / recorded;
    tuning_.gb_hours = {gb * low, gb * high};
    tuning_.core_hours = {cores * low, cores * high};
  }

  const std::vector<TunedRun>& runs_;
  const Application& application_;
  const Answers& answers_;
  const TuningGoal goal_;
  Tuning tuning_;
  int64_t heap_bytes_ = 0, overhead_bytes_ = 0, executors_ = 0;
};

}  // namespace

std::optional<TuningGoal> ParseTuningGoal(std::string_view name) {
  if (name == "time") return TuningGoal::kTime;
  if (name == "cost") return TuningGoal::kCost;
  return std::nullopt;
}

Tuning Tune(const std::vector<TunedRun>& runs, TuningGoal goal) { return Tuner(runs, goal).Take(); }

}  // namespace sparkprof

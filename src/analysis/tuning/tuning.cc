// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuning/tuning.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "analysis/comparison/what_if.h"
#include "analysis/findings/executor_memory.h"
#include "analysis/findings/spark_settings.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kHeapMargin = 1.3;      // of the peak: the next run's data are not quite the same
constexpr double kRestMargin = 1.2;      // of memory beside the heap
constexpr double kMuchGc = 0.1;          // of the tasks' time
constexpr double kNearlyFull = 0.9;      // of a heap
constexpr double kMoreHeap = 1.5;        // times a heap that is too small
constexpr double kWorthChanging = 0.85;  // sizes above this part of the present one stay
constexpr double kMostSlowdown = 1.02;   // for a cheaper run
constexpr double kLeastSpeedup = 0.95;   // for more executors
constexpr int64_t kMostTimesExecutors = 4;
// Sizes that a person would set.
constexpr int64_t kStep = int64_t{256} << 20, kLargeStep = int64_t{1} << 30;
constexpr int64_t kLarge = int64_t{8} << 30;
constexpr int64_t kLeastHeap = int64_t{1} << 30;

std::string MemoryText(int64_t bytes) {
  return bytes % (int64_t{1} << 30) == 0 ? fmt::format("{}g", bytes >> 30) : fmt::format("{}m", bytes >> 20);
}

int64_t RoundedUp(double bytes) {
  const int64_t step = bytes > static_cast<double>(kLarge) ? kLargeStep : kStep;
  return (static_cast<int64_t>(bytes) + step - 1) / step * step;
}

std::string Was(const Application& application, std::string_view key, std::string_view otherwise) {
  if (const auto in_code = SettingInCode(application, key)) return std::string(*in_code);
  return std::string(SettingOf(application, key).value_or(otherwise));
}

// Peaks over all runs.
Resources Largest(const std::vector<TunedRun>& runs) {
  Resources all = ResourcesOf(*runs.front().application);
  for (const TunedRun& run : runs) {
    const Resources one = ResourcesOf(*run.application);
    all.peak_heap_bytes = std::max(all.peak_heap_bytes, one.peak_heap_bytes);
    all.peak_rest_bytes = std::max(all.peak_rest_bytes, one.peak_rest_bytes);
    all.gc_share = std::max(all.gc_share, one.gc_share);
    all.spilled_bytes = std::max(all.spilled_bytes, one.spilled_bytes);
  }
  return all;
}

class Tuner {
 public:
  Tuner(const std::vector<TunedRun>& runs, TuningGoal goal)
      : runs_(runs), application_(*runs.front().application), answers_(*runs.front().answers), goal_(goal) {
    tuning_.recorded = Largest(runs);
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
    return std::any_of(tuning_.settings.begin(), tuning_.settings.end(),
                       [&](const TunedSetting& one) { return one.key == key; });
  }

  bool HasFinding(std::string_view rule) const {
    return std::any_of(answers_.findings.begin(), answers_.findings.end(),
                       [&](const Finding& one) { return one.rule == rule; });
  }

  // Executors of Databricks take the whole of their machine.
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
      heap_bytes_ = RoundedUp(static_cast<double>(use.heap_bytes) * kMoreHeap);
      return Add(use.HeapSetting(), MemoryText(heap_bytes_), was,
                 fmt::format("The heap held {} of {}, and GC took {} of the tasks' time",
                             FormatBytes(use.peak_heap_bytes), FormatBytes(use.heap_bytes), FormatShare(use.gc_share)));
    }
    if (use.spilled_bytes > 0 || use.gc_share >= kMuchGc || goal_ == TuningGoal::kTime) return;
    if (HasFinding("oom") || HasFinding("lost-executors") || HasFixedExecutors()) return;
    const int64_t wanted = std::max(kLeastHeap, RoundedUp(static_cast<double>(use.peak_heap_bytes) * kHeapMargin));
    if (static_cast<double>(wanted) > kWorthChanging * static_cast<double>(use.heap_bytes)) return;
    heap_bytes_ = wanted;
    tuning_.duration_ns.high *= kMostSlowdown;  // a smaller heap is collected more often
    Add(use.HeapSetting(), MemoryText(wanted), was,
        fmt::format("The fullest heap held {}{}; this leaves a margin of {:.0f}%", FormatBytes(use.peak_heap_bytes),
                    runs_.size() == 1 ? "" : fmt::format(" in {} runs", runs_.size()),
                    100 * (static_cast<double>(wanted) / static_cast<double>(use.peak_heap_bytes) - 1)));
  }

  void TuneOverhead() {
    const Resources& use = tuning_.recorded;
    if (use.is_local || use.peak_rest_bytes == 0) return;
    const int64_t wanted = std::max(kLeastOverhead, RoundedUp(static_cast<double>(use.peak_rest_bytes) * kRestMargin));
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

  // The fewest executors that are about as fast, or as many as still make it faster.
  void TuneExecutors() {
    const Resources& use = tuning_.recorded;
    if (use.is_local || use.executors <= 1 || use.cores_each <= 0) return;
    const Prediction now = With(use.executors);
    if (now.recorded_ns == 0) return;
    const auto slower = [&](const Prediction& other) {
      return static_cast<double>(other.predicted_ns) / static_cast<double>(now.predicted_ns);
    };
    int64_t best = use.executors;
    if (goal_ == TuningGoal::kCost) {
      for (int64_t low = 1; low < best;) {  // fewer executors are never faster
        const int64_t middle = low + (best - low) / 2;
        if (slower(With(middle)) <= kMostSlowdown) {
          best = middle;
        } else {
          low = middle + 1;
        }
      }
      if (static_cast<double>(best) > kWorthChanging * static_cast<double>(use.executors)) return;
    } else {
      double fastest = 1;
      for (int64_t more = 2 * use.executors; more <= kMostTimesExecutors * use.executors; more *= 2) {
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
    const std::string_view key = is_dynamic ? "spark.dynamicAllocation.maxExecutors" : "spark.executor.instances";
    Add(key, std::to_string(best), Was(application_, key, std::to_string(use.executors)),
        fmt::format("With {} executors the recorded tasks take {} instead of {}", best,
                    FormatDuration(then.predicted_ns), FormatDuration(now.predicted_ns)));
  }

  // Findings whose advice names a setting and its value: "Set spark.python.worker.reuse=true".
  void TakeAdvice() {
    static const re2::RE2 setting(R"([Ss]et (spark\.[A-Za-z.]+)=([A-Za-z0-9.:_-]*[A-Za-z0-9]))");
    const auto recorded = static_cast<double>(tuning_.recorded.duration_ns);
    for (const Finding& finding : answers_.findings) {
      re2::StringPiece text(finding.change);
      std::string key, value;
      bool is_first = true;
      while (re2::RE2::FindAndConsume(&text, setting, &key, &value)) {
        const bool is_own = key.find("emory") != std::string::npos || key.find("nstances") != std::string::npos;
        const bool is_ignored = tuning_.recorded.is_local && key.starts_with("spark.executor.");
        if (is_own || is_ignored || Has(key)) continue;
        const size_t before = tuning_.settings.size();
        Add(key, value, Was(application_, key, "Spark's default"), finding.title);
        // Savings that overlap are in the finding that they overlap with.
        if (tuning_.settings.size() == before || !is_first || !finding.overlaps.empty()) continue;
        is_first = false;
        const auto gain = static_cast<double>(finding.gain_ns);
        tuning_.duration_ns.low = std::max(0.1 * recorded, tuning_.duration_ns.low - gain * finding.gain_high);
        tuning_.duration_ns.high =
            std::max(tuning_.duration_ns.low, tuning_.duration_ns.high - gain * finding.gain_low);
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

// SPDX-License-Identifier: Apache-2.0
#include "auto/past_run.h"

#include "analysis/owners/resources.h"
#include "analysis/selection/application_status.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/tuning/tuning.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kSilenceNs = 600 * kNanosPerSecond;

// Adds sizes that are in effect although nobody set them.
void AddDefaults(const Resources& use, const AutoPolicy& policy, AutoValues* values) {
  const auto add = [&](std::string_view key, int64_t bytes) {
    const std::string name(key);
    if (bytes > 0 && policy.Find(key) != nullptr && !values->contains(name)) (*values)[name] = MemoryText(bytes);
  };
  add(use.HeapSetting(), use.heap_bytes);
  if (!use.is_local) add("spark.executor.memoryOverhead", use.overhead_bytes);
}

}  // namespace

PastRun PastRunOf(const Application& application, const Answers& answers, const AutoPolicy& policy, int64_t now_ns) {
  const Resources use = ResourcesOf(application);
  const ApplicationStatus status = StatusOf(application, false);
  PastRun run;
  run.id = application.attempt.empty() ? application.id : application.id + "/" + application.attempt;
  run.end_ns = RangeOf(application).end_ns;
  run.is_running = status == ApplicationStatus::kIncomplete && now_ns - run.end_ns < kSilenceNs;
  run.has_failed = status == ApplicationStatus::kFailed || status == ApplicationStatus::kIncomplete;
  run.wall_ns = use.duration_ns;
  for (const int64_t bytes : application.tasks.Column(TaskMetric::kInputBytes)) run.input_bytes += bytes;
  run.spilled_bytes = use.spilled_bytes;
  run.gc_share = use.gc_share;
  const auto version = SettingOf(application, std::string("spark.sparkprof.") + kAutoVersionKey);
  run.version = ParseInteger(version.value_or("")).value_or(0);
  for (const AutoRule& rule : policy.rules) {
    // Settings in the program's code override all others.
    auto value = SettingInCode(application, rule.key);
    if (!value) value = SettingOf(application, rule.key);
    if (value) run.values[rule.key] = *value;
  }
  AddDefaults(use, policy, &run.values);
  if (run.has_failed) return run;
  for (const TunedSetting& tuned : Tune({{&application, &answers}}, TuningGoal::kCost).settings) {
    if (policy.Find(tuned.key) != nullptr) run.proposals[tuned.key] = {tuned.value, tuned.why};
  }
  return run;
}

}  // namespace sparkprof

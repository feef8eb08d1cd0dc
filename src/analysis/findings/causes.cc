// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/stream_pace.h"

namespace sparkprof {
namespace {

constexpr double kMostOfSymptom = 0.5;  // that is in the tasks of its cause

// The metric of a symptom that must be in the cause's tasks for the most part; none = it follows in any case.
struct StageSymptom {
  std::string_view cause;
  std::string_view symptom;
  std::optional<TaskMetric> metric;
  bool saves_half = false;  // and the cause must save at least half of what the symptom promises
};

constexpr StageSymptom kStageSymptoms[] = {
    {"skew", "gc", TaskMetric::kGcTime},
    {"skew", "spill", TaskMetric::kDiskSpilled},
    {"skew", "fetch-wait", TaskMetric::kShuffleFetchWait},
    {"skew", "sleep", TaskMetric::kDuration},
    {"skew", "few-partitions", TaskMetric::kDuration},
    {"skew", "python-bound", TaskMetric::kDuration},
    {"skew", "large-partitions", std::nullopt},
    {"straggler", "gc", TaskMetric::kGcTime},
    {"straggler", "fetch-wait", TaskMetric::kShuffleFetchWait},
    {"straggler", "scheduler-delay", TaskMetric::kSchedulerDelay},
    {"straggler", "few-partitions", TaskMetric::kDuration},
    {"straggler", "python-bound", TaskMetric::kDuration},
    {"straggler", "sleep", TaskMetric::kDuration},
    {"few-partitions", "large-partitions", std::nullopt},
    {"spill", "large-partitions", std::nullopt},
    {"tiny-tasks", "scheduler-delay", std::nullopt},
    {"tiny-tasks", "zip-reads", std::nullopt},
    {"tiny-tasks", "python-bound", std::nullopt, true},
    {"large-closure", "scheduler-delay", std::nullopt},
    {"large-closure", "tiny-tasks", std::nullopt},
};

// The part of a metric of the stage in tasks with these IDs.
double ShareIn(const Application& application, const StageSummary& summary, const std::vector<int64_t>& ids,
               TaskMetric metric) {
  const std::unordered_set<int64_t> chosen(ids.begin(), ids.end());
  int64_t inside = 0;
  for (const uint32_t task : summary.tasks) {
    if (chosen.contains(application.tasks.id[task])) inside += application.tasks.Column(metric)[task];
  }
  return Share(inside, summary.Total(metric));
}

// "GC takes 34.5% of task time" of "Stage 3: GC takes 34.5% of task time".
std::string_view WithoutStage(std::string_view title) {
  const size_t colon = title.find(": ");
  return title.starts_with("Stage ") && colon != std::string_view::npos ? title.substr(colon + 2) : title;
}

void AddSymptom(const Finding& symptom, Finding* cause) {
  std::string title(WithoutStage(symptom.title));
  if (title.ends_with("…")) title = ShortenToClause(title, title.size() / 2);
  // A long title repeats the cause's own words.
  constexpr size_t kSameWords = 60;
  const std::string begin = title.substr(0, kSameWords);
  const bool is_known =
      cause->evidence.find(begin) != std::string::npos || cause->what.find(begin) != std::string::npos;
  if (!is_known) cause->evidence += fmt::format("{}symptom: {}", cause->evidence.empty() ? "" : "; ", title);
  if (cause->frames.empty()) cause->frames = symptom.frames;
  if (!symptom.is_failure) return;
  cause->is_failure = true;
  cause->severity = Severity::kHigh;
}

using Explains = std::function<bool(const Finding& cause, const Finding& symptom)>;

// Removes findings that another one explains.
void Fold(const Explains& explains, std::vector<Finding>* findings) {
  std::vector<bool> is_symptom(findings->size());
  for (size_t cause = 0; cause < findings->size(); ++cause) {
    for (size_t symptom = 0; symptom < findings->size(); ++symptom) {
      if (cause == symptom || is_symptom[symptom] || is_symptom[cause]) continue;
      if (!explains((*findings)[cause], (*findings)[symptom])) continue;
      is_symptom[symptom] = true;
      AddSymptom((*findings)[symptom], &(*findings)[cause]);
    }
  }
  size_t row = 0;
  std::erase_if(*findings, [&](const Finding&) { return is_symptom[row++]; });
}

bool ShareStages(const Finding& a, const Finding& b) {
  return std::any_of(b.stages.begin(), b.stages.end(), [&](int64_t stage) {
    return std::find(a.stages.begin(), a.stages.end(), stage) != a.stages.end();
  });
}

// Whether all stages of a symptom are those of the cause.
bool HasStagesOf(const Finding& cause, const Finding& symptom) {
  return !symptom.stages.empty() && std::all_of(symptom.stages.begin(), symptom.stages.end(), [&](int64_t stage) {
    return std::find(cause.stages.begin(), cause.stages.end(), stage) != cause.stages.end();
  });
}

bool IsForMemory(const Finding& failure) {
  for (const std::string_view sign : {"OutOfMemory", "MemoryError", "memory", " 137", "exit status 52", "OOM"}) {
    if (failure.cause.find(sign) != std::string::npos || failure.title.find(sign) != std::string::npos) return true;
  }
  return false;
}

// Whether a failed stage is one of lost executors. `cause` has no numbers.
bool IsOfLostExecutor(const Finding& failure) {
  for (const std::string_view sign : {"ExecutorLost", "FetchFailed", "ResultLost"}) {
    if (failure.cause.find(sign) != std::string::npos) return true;
  }
  return false;
}

bool IsOfShutdown(const Finding& failure) {
  return failure.cause.find("SparkContext was shut down") != std::string::npos;
}

// Whether each stage of a finding starts while a batch of a streaming query runs.
bool RunsInBatches(const Application& application, const Finding& finding) {
  const BatchTimes batches(application);
  const auto is_in_batch = [&](int64_t id) {
    const auto stage = std::find_if(application.stages.begin(), application.stages.end(),
                                    [&](const Stage& one) { return one.id == id; });
    return stage != application.stages.end() && batches.At(stage->submit_ns) != nullptr;
  };
  return !finding.stages.empty() && std::all_of(finding.stages.begin(), finding.stages.end(), is_in_batch);
}

int64_t QueryOfFinding(const Application& application, const Finding& finding) {
  for (const Stage& stage : application.stages) {
    if (!finding.stages.empty() && stage.id == finding.stages.front()) return stage.sql_execution;
  }
  return -1;
}

bool ExplainsInApplication(const Application& application, const Finding& cause, const Finding& symptom) {
  const auto is = [&](std::string_view of_cause, std::string_view of_symptom) {
    return cause.rule == of_cause && symptom.rule == of_symptom;
  };
  if (is("oom", "failed-work") || is("oom", "lost-executors") || is("oom", "lost-driver")) return IsForMemory(symptom);
  // A heap that is too small is collected again and again before it overflows.
  if (is("oom", "gc")) return ShareStages(cause, symptom);
  if (is("lost-executors", "failed-work")) return IsOfLostExecutor(symptom);
  // The program ended after the failure.
  if (cause.is_failure && cause.rule != "lost-executors" && symptom.rule == "failed-work" && IsOfShutdown(symptom) &&
      !IsOfShutdown(cause)) {
    return true;
  }
  // The stage that collects the table.
  if (is("large-broadcast", "large-result") && HasStagesOf(cause, symptom)) return true;
  if (is("large-broadcast", "large-result") || is("failed-work", "large-result"))
    return cause.selection.sql && *cause.selection.sql == QueryOfFinding(application, symptom);
  if (is("large-result", "driver-gap") || (is("job-loop", "driver-gap") && !symptom.is_context))
    return 2 * cause.gain_ns >= symptom.gain_ns;
  // The waits of a reader's jobs have the reader as their cause.
  if (cause.rule == "file-listing" || cause.rule == "schema-inference")
    return !symptom.is_failure && symptom.rule != "oom" && HasStagesOf(cause, symptom);
  // The task that creates the files takes long, and more tasks would create more of them.
  if (is("many-output-files", "few-partitions"))
    return ShareStages(cause, symptom) && 2 * cause.gain_ns >= symptom.gain_ns;
  // The heap is full of what nobody reads.
  if (is("unused-cache", "gc") || is("unused-cache", "low-memory") || is("unused-cache", "evicted-cache")) {
    return symptom.stages.empty() || ShareStages(cause, symptom);
  }
  // Each task loads and commits the state of its partition.
  // The state may be in the heap, and updates create garbage.
  if (is("state-store", "sleep") || is("state-store", "tiny-tasks") || is("state-store", "scheduler-delay") ||
      is("state-store", "gc"))
    return RunsInBatches(application, symptom);
  if (is("slow-sink", "streaming-behind")) return true;
  if (is("unpruned-partitions", "unpushed-filter")) return ShareStages(cause, symptom);
  // In text logs the time of Python workers is that of all tasks.
  if (HasOnlyLogs(application) && (is("tiny-tasks", "repeated-init") || is("tiny-tasks", "python-bound")))
    return 2 * cause.gain_ns >= symptom.gain_ns;
  // Its jobs that count and sample compute the rows again.
  if (is("full-sort", "repeated-read")) return HasStagesOf(cause, symptom);
  if (is("job-loop", "scheduler-delay") || is("job-loop", "repeated-read") ||
      is("unpruned-partitions", "repeated-read"))
    return HasStagesOf(cause, symptom);
  // Once it skips what the filters drop, a read costs little.
  if (is("unpushed-filter", "repeated-read")) return ShareStages(cause, symptom);
  // Reading data that is cached on disk deserializes it.
  if (is("serialization", "evicted-cache")) return ShareStages(cause, symptom);
  if (is("small-files", "tiny-tasks") || is("small-files", "scheduler-delay") || is("small-files", "sleep") ||
      is("many-output-files", "sleep") || is("small-arrow-batches", "python-bound") || is("exploding-join", "gc") ||
      is("exploding-join", "spill") || is("exploding-join", "large-result")) {
    return ShareStages(cause, symptom);
  }
  // Found by samples and by messages of the same executors.
  return is("repeated-init", "repeated-init") && !cause.stages.empty() && symptom.stages.empty();
}

}  // namespace

void FoldSymptomsOfStage(const Application& application, const StageSummary& summary, std::vector<Finding>* findings) {
  Fold(
      [&](const Finding& cause, const Finding& symptom) {
        const auto row = std::find_if(std::begin(kStageSymptoms), std::end(kStageSymptoms), [&](const auto& one) {
          return one.cause == cause.rule && one.symptom == symptom.rule;
        });
        if (row == std::end(kStageSymptoms)) return false;
        if (row->saves_half && 2 * cause.gain_ns < symptom.gain_ns) return false;
        return !row->metric || ShareIn(application, summary, cause.selection.tasks, *row->metric) >= kMostOfSymptom;
      },
      findings);
}

void FoldSymptoms(const Application& application, std::vector<Finding>* findings) {
  Fold([&](const Finding& cause, const Finding& symptom) { return ExplainsInApplication(application, cause, symptom); },
       findings);
}

}  // namespace sparkprof

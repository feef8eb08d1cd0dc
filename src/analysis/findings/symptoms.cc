// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/rules.h"
#include "analysis/python/driver_lines.h"

namespace sparkprof {
namespace {

constexpr double kMostOfSymptom = 0.5;  // minimum share of its claimed time that the cause claims, too

// "GC takes 34.5% of task time" in "Stage 3: GC takes 34.5% of task time".
std::string_view WithoutStage(std::string_view title) {
  const size_t colon = title.find(": ");
  return title.starts_with("Stage ") && colon != std::string_view::npos ? title.substr(colon + 2) : title;
}

void AddSymptom(const Finding& symptom, Finding* cause) {
  std::string title(WithoutStage(symptom.title));
  if (title.ends_with("…")) title = ShortenToClause(title, title.size() / 2);
  // Titles that start alike repeat the cause's words.
  constexpr size_t kSameWords = 60;
  const std::string begin = title.substr(0, kSameWords);
  const bool is_known = Contains(cause->evidence, begin) || Contains(cause->what, begin);
  if (!is_known) cause->evidence += fmt::format("{}symptom: {}", cause->evidence.empty() ? "" : "; ", title);
  if (cause->frames.empty()) cause->frames = symptom.frames;
  if (!symptom.is_failure) return;
  cause->is_failure = true;
  cause->severity = Severity::kHigh;
}

// True if the failure is that of a stage with a lost executor. `cause` contains no numbers.
bool IsOfLostExecutor(const Finding& failure) {
  for (const std::string_view sign : {"ExecutorLost", "FetchFailed", "ResultLost"}) {
    if (Contains(failure.cause, sign)) return true;
  }
  return false;
}

bool IsOfShutdown(const Finding& failure) { return Contains(failure.cause, "SparkContext was shut down"); }

RuleLevel LevelOf(const Finding& finding) { return finding.level.value_or(RuleLevel::kCause); }

bool HasStagesOf(const Finding& cause, const Finding& symptom) {
  return !symptom.stages.empty() &&
         std::ranges::all_of(symptom.stages, [&](int64_t stage) { return Contains(cause.stages, stage); });
}

// True if the cause's text is about a task that failed without a known cause.
bool HasTaskOf(const Finding& cause, const Finding& symptom) {
  const std::vector<int64_t>& tasks = symptom.selection.tasks;
  const std::vector<FailureEvent>& chain = cause.failure->chain;
  const bool is_known = symptom.failure && NamesCause(*symptom.failure);
  return !is_known && !chain.empty() && chain.front().task != kNoTask && Contains(tasks, chain.front().task);
}

// Texts of failures name their causes.
bool ExplainsFailure(const Finding& cause, const Finding& symptom) {
  const bool is_loss = symptom.rule == "lost-executors" || symptom.rule == "lost-driver";
  if (cause.rule == "oom" && (symptom.rule == "failed-work" || is_loss))
    return symptom.failure && IsForMemory(*symptom.failure);
  if (cause.rule == "failure" && cause.is_failure && cause.failure) {
    if (symptom.rule == "waiting-for-executors") return cause.failure->failure->holds == "cluster";
    if (symptom.rule == "failed-work")
      return HasTaskOf(cause, symptom) || (NamesCause(*cause.failure) && IsWrapper(symptom.cause));
  }
  if (symptom.rule != "failed-work") return false;
  if (cause.rule == "lost-executors") return IsOfLostExecutor(symptom);
  // The program ended after the failure.
  return cause.is_failure && IsOfShutdown(symptom) && !IsOfShutdown(cause);
}

// True if the cause's claim includes the GC of what it allocates.
bool PaysForGarbage(const Finding& cause, const Finding& symptom) {
  return symptom.rule == "gc" &&
         std::ranges::any_of(cause.claim.stages, [](const auto& one) { return one.part == AccountPart::kGc; });
}

}  // namespace

bool Symptoms::Explains(const Finding& cause, const Finding& symptom) const {
  if (ExplainsFailure(cause, symptom)) return true;
  if (cause.is_context || symptom.is_context || symptom.is_failure) return false;
  // Both show the same growth, here by allocation samples.
  if (cause.rule == "python-memory") return symptom.rule == "worker-growth" && cause.cause != kDriverProgramRole;
  // Samples and messages show the same executors.
  if (cause.rule == symptom.rule) return !cause.stages.empty() && symptom.stages.empty();
  if (LevelOf(cause) <= LevelOf(symptom) && !PaysForGarbage(cause, symptom)) return false;
  // Repeated collections precede an out-of-memory failure.
  const bool is_for_memory = cause.is_failure && cause.claim.IsEmpty();
  if (is_for_memory) return LevelOf(symptom) == RuleLevel::kPart && HasStagesOf(cause, symptom);
  // Splitting a stage's work among more tasks does not change its parts.
  if (cause.claim.is_moved && LevelOf(cause) != RuleLevel::kCause) return false;
  if (replay_.SharedPart(symptom.claim, cause.claim) < kMostOfSymptom) return false;
  const int64_t likely_ns = replay_.LikelyTimeOf(cause.claim);
  return !cause.claim.tasks.empty() || likely_ns == 0 || 2 * likely_ns >= replay_.LikelyTimeOf(symptom.claim);
}

void Symptoms::Fold(std::vector<Finding>* findings) const {
  std::vector<bool> is_symptom(findings->size());
  for (size_t cause = 0; cause < findings->size(); ++cause) {
    for (size_t symptom = 0; symptom < findings->size(); ++symptom) {
      if (cause == symptom || is_symptom[symptom] || is_symptom[cause]) continue;
      if (!Explains((*findings)[cause], (*findings)[symptom])) continue;
      is_symptom[symptom] = true;
      AddSymptom((*findings)[symptom], &(*findings)[cause]);
    }
  }
  size_t row = 0;
  std::erase_if(*findings, [&](const Finding&) { return is_symptom[row++]; });
}

}  // namespace sparkprof

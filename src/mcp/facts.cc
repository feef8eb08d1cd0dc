// SPDX-License-Identifier: Apache-2.0
#include "mcp/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/findings/advice.h"
#include "analysis/selection/application_status.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "base/text/text.h"
#include "base/time.h"
#include "mcp/job_text.h"
#include "model/application_group.h"

namespace sparkprof {
namespace {

// Rules whose numbers come from samples, if there are any.
constexpr std::string_view kSampledRules[] = {"sleep",         "lock",          "hot",          "zip-reads",
                                              "serialization", "repeated-init", "python-bound", "cpu-starved",
                                              "warm-up",       "driver-gap",    "large-result"};
// Rules about the memory of processes.
constexpr std::string_view kProcessRules[] = {"worker-growth", "python-memory", "low-memory", "unused-memory"};

bool IsOneOf(std::string_view rule, std::span<const std::string_view> rules) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

bool HasTaskMetrics(const Application& application) {
  const MetricColumn& run_time_ns = application.tasks.Column(TaskMetric::kExecutorRunTime);
  for (size_t row = 0; row < application.tasks.Size(); ++row) {
    if (run_time_ns[row] > 0) return true;
  }
  return false;
}

constexpr size_t kMaxKeys = 10;

// The error lists the applications.
Result<std::string> OnlyApplication(ApplicationSource* source) {
  const Result<ApplicationList> list = source->List({.limit = kMaxKeys});
  if (!list) return tl::unexpected(list.error());
  if (list->total == 0) return Fail("there are no applications");
  if (list->total == 1) return list->applications.front().key;
  std::vector<std::string> keys;
  for (const ApplicationSummary& one : list->applications) keys.push_back(Marked(one.key, 80));
  return Fail(fmt::format("{} applications: name one as the argument application: {}{}", list->total,
                          fmt::join(keys, ", "), list->total > keys.size() ? ", …; see find_applications" : ""));
}

}  // namespace

std::string_view SourceOfTasks(const Application& application) {
  if (application.tasks.Size() == 0 && application.stages.empty()) return "no tasks";
  return HasTaskMetrics(application) || application.logs.Size() == 0 ? "event log" : "text log";
}

std::string SourcesOfNumbers(const Application& application) {
  std::vector<std::string> sources;
  const std::string_view tasks = SourceOfTasks(application);
  if (tasks == "event log") sources.emplace_back(tasks);
  if (HasSamples(application)) {
    std::set<EventId> sampled;
    for (const Sample& sample : application.profile.samples) sampled.insert(sample.event);
    std::vector<std::string> names;
    for (const EventId event : sampled) names.push_back(Marked(application.profile.events[event].name, 30));
    if (!application.python_samples.empty()) names.emplace_back("Python");
    sources.push_back(fmt::format("samples ({})", fmt::join(names, ", ")));
  }
  if (application.logs.Size() > 0 || tasks == "text log") sources.emplace_back("text log");
  if (!application.series.empty()) sources.emplace_back("process metrics");
  return sources.empty() ? "none" : fmt::format("{}", fmt::join(sources, ", "));
}

std::string SourceOfFinding(const Application& application, const Finding& finding) {
  std::vector<std::string_view> sources;
  if (IsOneOf(finding.rule, kSampledRules) && HasSamples(application)) sources.emplace_back("samples");
  if (IsOneOf(finding.rule, kProcessRules) && !application.series.empty()) sources.emplace_back("process metrics");
  if (const std::string_view tasks = SourceOfTasks(application); tasks != "no tasks") sources.push_back(tasks);
  if (finding.is_failure && application.logs.Size() > 0 && sources != std::vector<std::string_view>{"text log"}) {
    sources.emplace_back("text log");
  }
  return sources.empty() ? "[unknown]" : fmt::format("[{}]", fmt::join(sources, ", "));
}

std::vector<std::string> Headline(const AskedApplication& asked) {
  const Application& application = *asked.recorded;
  std::vector<std::string> facts{Marked(application.name, 80), Marked(application.id, 80)};
  if (!application.spark_version.empty()) facts.push_back("Spark " + Marked(application.spark_version, 20));
  const int64_t duration_ns = RangeOf(application).Duration();
  facts.push_back(duration_ns > 0 ? FormatDuration(duration_ns) : "duration unknown");
  if (PartsKnownOf(application).executors) {
    facts.push_back(fmt::format("executors {}, cores {}", application.ExecutorCount(), CoreCount(application)));
  }
  facts.push_back(OutcomeInWords(application));
  return {fmt::format("{} [{}]", fmt::join(facts, " · "), SourceOfTasks(application)),
          fmt::format("Sources: {}. {}", SourcesOfNumbers(application), kMarkNote)};
}

std::string NotMeasured(const AskedApplication& asked) {
  std::vector<std::string> texts;
  for (const NotChecked& one : asked.answers->rules.not_checked) {
    texts.push_back(fmt::format("{} ({})", one.what, one.reason));
  }
  if (asked.recorded->logs.Size() == 0) texts.emplace_back("errors in logs (no text log)");
  for (const std::string& problem : asked.problems) texts.push_back(Marked(problem, 200));
  return fmt::format("{}", fmt::join(texts, "; "));
}

void AddProofs(ApplicationSource* source, const Application& application, ToolAnswer* answer) {
  constexpr size_t kMaxProofs = 5;
  const std::vector<KnownProof> proofs = source->Proofs(GroupOf(application));
  if (proofs.empty()) return;
  answer->Add(fmt::format("Proofs of changes ({} known, latest first):", proofs.size()));
  for (size_t i = 0; i < std::min(proofs.size(), kMaxProofs); ++i) {
    answer->Add(fmt::format("  {} {} [measured by sparkprof prove]",
                            FormatTimestamp(proofs[i].subject.time_ms * kNanosPerMilli).substr(0, 10),
                            Marked(ProofSentence(proofs[i]))));
  }
}

Result<AskedApplication> LoadAsked(ApplicationSource* source, const ToolArguments& arguments) {
  std::string key = arguments.Text("application");
  if (key.empty()) {
    Result<std::string> only = OnlyApplication(source);
    if (!only) return tl::unexpected(only.error());
    key = std::move(*only);
  }
  return OfArgument("application", source->Load(key));
}

Result<Selection> SelectionOf(const ToolArguments& arguments) {
  Selection selection;
  selection.event = arguments.Text("event");
  if (const std::string stage = arguments.Text("stage"); !stage.empty()) {
    if (!ParseStage(stage, &selection)) {
      return Fail(
          fmt::format("stage: expected an ID such as 3, or an attempt such as 3.0, found {}", Marked(stage, 40)));
    }
  }
  if (const std::optional<int64_t> task = arguments.Integer("task")) selection.tasks = {*task};
  if (const std::string executor = arguments.Text("executor"); !executor.empty()) selection.executor = executor;
  selection.job = arguments.Integer("job");
  selection.sql = arguments.Integer("sql");
  return selection;
}

}  // namespace sparkprof

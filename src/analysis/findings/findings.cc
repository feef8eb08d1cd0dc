// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "analysis/call_site.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/rules.h"
#include "analysis/known_parts.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMostFindings = 50;     // sorted by importance; a longer list is not useful
constexpr size_t kMostStagesNamed = 10;  // in a text
constexpr size_t kMostLines = 3;
constexpr double kHighConfidence = 0.8;
constexpr double kMediumConfidence = 0.5;
constexpr std::string_view kSeverities[] = {"low", "medium", "high"};

// One finding for what a rule found in several stages, worst first: that of the first, with the others' stages and
// gains.
Finding Merge(std::vector<Finding> of_stages, int64_t duration_ns) {
  Finding all = std::move(of_stages.front());
  if (of_stages.size() == 1) return all;
  for (size_t i = 1; i < of_stages.size(); ++i) {
    Finding& other = of_stages[i];
    all.gain_ns += other.gain_ns;
    all.severity = std::max(all.severity, other.severity);
    all.is_failure |= other.is_failure;
    for (const int64_t stage : other.stages) {
      if (std::find(all.stages.begin(), all.stages.end(), stage) == all.stages.end()) all.stages.push_back(stage);
    }
  }
  // Stages may run at the same time.
  all.gain_ns = std::min(all.gain_ns, duration_ns);
  if (all.severity > Severity::kLow) all.severity = std::max(all.severity, SeverityOf(all.gain_ns, duration_ns));
  if (all.stages.size() == 1) return all;
  const size_t others = all.stages.size() - 1;
  all.title += fmt::format("; the same in {} other stage{}", others, others == 1 ? "" : "s");
  const auto named_end = all.stages.begin() + static_cast<ptrdiff_t>(std::min(all.stages.size(), kMostStagesNamed));
  all.what += fmt::format(". Stages: {}{}", fmt::join(all.stages.begin(), named_end, ", "),
                          all.stages.size() > kMostStagesNamed ? ", …" : "");
  return all;
}

std::vector<Finding> InStages(const NamedStageRule& rule, const FindingInput& input) {
  std::vector<Finding> found;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& stage = input.application.stages[row];
    std::optional<Finding> finding = rule.find(input, stage, input.stages[row]);
    if (!finding) continue;
    finding->rule = rule.id;
    finding->id = fmt::format("{}-{}.{}", rule.id, stage.id, stage.attempt);
    finding->stages = {stage.id};
    found.push_back(std::move(*finding));
  }
  std::stable_sort(found.begin(), found.end(), IsMoreImportant);
  return found;
}

// Findings of one rule, worst first, by their cause and the line of code that they are about.
std::vector<std::vector<Finding>> GroupByCause(std::vector<Finding>&& findings) {
  std::vector<std::vector<Finding>> groups;
  const auto cause = [](const Finding& finding) {
    return std::pair(finding.cause, finding.frames.empty() ? std::string() : finding.frames.front());
  };
  for (Finding& finding : findings) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return cause(group.front()) == cause(finding); });
    if (same != groups.end()) {
      same->push_back(std::move(finding));
    } else {
      groups.emplace_back().push_back(std::move(finding));
    }
  }
  return groups;
}

// Whether a call site is in the user's program: Spark and the JDK start some stages from threads of their own.
bool IsOfProgram(std::string_view site) {
  if (site.find(" at ") == std::string_view::npos) return false;
  for (const std::string_view file :
       {"FutureTask.java", "ThreadPoolExecutor.java", "NativeMethodAccessorImpl.java", "CompletableFuture.java",
        "DirectMethodHandleAccessor.java", "Executors.java", "<unknown>"}) {
    if (site.find(file) != std::string_view::npos) return false;
  }
  return true;
}

// The line of the program that runs a stage, as exactly as Spark recorded it: "collect at job.py:60"; or empty.
std::string LineOfStage(const Application& application, const Stage& stage) {
  std::vector<std::string_view> sites = {stage.name};
  for (const Job& job : application.jobs) {
    if (job.id == stage.job) sites.insert(sites.end(), {job.call_site, job.name});
  }
  for (const SqlExecution& sql : application.sql_executions) {
    if (sql.id == stage.sql_execution) sites.push_back(sql.description);
  }
  const auto site = std::find_if(sites.begin(), sites.end(), IsOfProgram);
  return site == sites.end() ? std::string() : ShortCallSite(*site);
}

// The lines that run the stages of a finding which no sample and no stack trace gave a line.
void NameLines(const Application& application, Finding* finding) {
  if (!finding->frames.empty()) return;
  for (const Stage& stage : application.stages) {
    if (finding->frames.size() == kMostLines) return;
    if (std::find(finding->stages.begin(), finding->stages.end(), stage.id) == finding->stages.end()) continue;
    std::string line = LineOfStage(application, stage);
    const bool is_known = std::find(finding->frames.begin(), finding->frames.end(), line) != finding->frames.end();
    if (!line.empty() && !is_known) finding->frames.push_back(std::move(line));
  }
}

}  // namespace

std::string_view SeverityName(Severity severity) { return kSeverities[static_cast<size_t>(severity)]; }

std::optional<Severity> ParseSeverity(std::string_view name) {
  const auto found = std::find(std::begin(kSeverities), std::end(kSeverities), name);
  if (found == std::end(kSeverities)) return std::nullopt;
  return static_cast<Severity>(found - std::begin(kSeverities));
}

std::string_view ConfidenceName(double confidence) {
  if (confidence >= kHighConfidence) return "high";
  return confidence >= kMediumConfidence ? "medium" : "low";
}

bool IsMoreImportant(const Finding& a, const Finding& b) {
  const auto rank = [](const Finding& finding) {
    return std::tuple(finding.is_failure, finding.is_failure ? finding.confidence : 0, finding.severity,
                      !finding.is_of_machine, finding.gain_ns, finding.confidence);
  };
  return rank(a) > rank(b);
}

std::vector<Finding> FindAll(const FindingInput& input) {
  std::vector<Finding> findings;
  for (const NamedStageRule& rule : kStageRules) {
    for (std::vector<Finding>& of_cause : GroupByCause(InStages(rule, input)))
      findings.push_back(Merge(std::move(of_cause), input.duration_ns));
  }
  const bool has_driver = PartsKnownOf(input.application).jobs;
  for (const NamedApplicationRule& rule : kApplicationRules) {
    if (rule.needs_driver && !has_driver) continue;
    std::optional<Finding> finding = rule.find(input);
    if (!finding) continue;
    finding->rule = rule.id;
    finding->id = rule.id;
    findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(), IsMoreImportant);
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  for (Finding& finding : findings) NameLines(input.application, &finding);
  return findings;
}

std::string StageText(const Stage& stage) {
  std::string text = fmt::format("stage {}", stage.id);
  if (stage.attempt > 0) text += fmt::format(".{}", stage.attempt);
  return stage.name.empty() ? text : fmt::format("{} ({})", text, ShortCallSite(stage.name));
}

Selection SelectStage(const Stage& stage, Event event) {
  Selection selection;
  selection.event = EventName(event);
  selection.stage = stage.id;
  selection.stage_attempt = stage.attempt;
  return selection;
}

Severity SeverityOf(int64_t gain_ns, int64_t duration_ns) {
  const double share = duration_ns <= 0 ? 0 : static_cast<double>(gain_ns) / static_cast<double>(duration_ns);
  if (share >= 0.1) return Severity::kHigh;
  return share >= 0.02 ? Severity::kMedium : Severity::kLow;
}

double Share(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

int64_t TaskSpan(const FindingInput& input, const StageSummary& stage, int64_t* begin_ns, int64_t* end_ns) {
  const Tasks& tasks = input.application.tasks;
  *begin_ns = 0;
  *end_ns = 0;
  for (const uint32_t task : stage.tasks) {
    if (tasks.launch_ns[task] > 0 && (*begin_ns == 0 || tasks.launch_ns[task] < *begin_ns))
      *begin_ns = tasks.launch_ns[task];
    *end_ns = std::max(*end_ns, tasks.finish_ns[task]);
  }
  return std::max<int64_t>(0, *end_ns - *begin_ns);
}

int64_t WallTimeOf(const FindingInput& input, const StageSummary& stage, int64_t task_time_ns) {
  int64_t begin_ns = 0, end_ns = 0;
  const int64_t total_ns = stage.Total(TaskMetric::kDuration);
  // Cores that idle beside a straggler would not: that is the gain of another finding.
  const int64_t cores = std::min(input.cores, std::max<int64_t>(1, static_cast<int64_t>(stage.tasks.size())));
  const int64_t span_ns = std::min(TaskSpan(input, stage, &begin_ns, &end_ns), total_ns / cores);
  return static_cast<int64_t>(static_cast<double>(span_ns) * std::min(1.0, Share(task_time_ns, total_ns)));
}

int64_t TimeOfCpuSamples(const StageSummary& stage, int64_t cpu_ns) {
  const double waits = std::max(1.0, Share(stage.runnable_ns, stage.cpu_samples_ns));
  return static_cast<int64_t>(static_cast<double>(cpu_ns) * waits);
}

int64_t GainOfBalance(const FindingInput& input, const StageSummary& stage, int64_t most_ns) {
  int64_t begin_ns = 0, end_ns = 0;
  const int64_t span_ns = TaskSpan(input, stage, &begin_ns, &end_ns);
  return std::clamp<int64_t>(span_ns - stage.Total(TaskMetric::kDuration) / input.cores, 0, most_ns);
}

}  // namespace sparkprof

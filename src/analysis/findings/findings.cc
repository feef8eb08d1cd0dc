// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/rules.h"
#include "base/memory_limit.h"
#include "base/parallel.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFindings = 50;       // longer lists are not useful
constexpr size_t kMaxStagesNamed = 10;    // per text
constexpr size_t kMaxStagesMeasured = 4;  // per evidence
// Relative to a high end that includes what may go with the claim.
constexpr double kHighConfidence = 0.65;
constexpr double kMediumConfidence = 0.25;
constexpr std::string_view kSeverities[] = {"low", "medium", "high"};

// The first measurement of a finding in its stage. Findings about single tasks have it in the title.
std::string_view MeasuredIn(const Finding& finding) {
  const std::string_view evidence = finding.evidence, title = finding.title;
  const size_t colon = title.find(": ");
  const bool is_of_tasks = finding.rule == "straggler" || finding.rule == "skew";
  if (is_of_tasks && colon != std::string_view::npos) return title.substr(colon + 2);
  return evidence.substr(0, evidence.find("; "));
}

// Merges a rule's findings in several stages, worst first: keeps the first one, with the stages and claims of all.
Finding Merge(const FindingInput& input, std::vector<Finding> of_stages) {
  Finding all = std::move(of_stages.front());
  if (of_stages.size() == 1) return all;
  for (size_t i = 1; i < of_stages.size(); ++i) {
    Finding& other = of_stages[i];
    // Adds the measurements of the stages with the largest savings.
    if (i < kMaxStagesMeasured && other.stages.front() != all.stages.front() && !other.evidence.empty())
      all.evidence += fmt::format("; stage {}: {}", other.stages.front(), MeasuredIn(other));
    // A claim that saves nothing would get the other's removal.
    if ((other.claim.removal.high > 0) == (all.claim.removal.high > 0)) all.claim.Add(other.claim);
    all.severity = std::max(all.severity, other.severity);
    all.is_failure |= other.is_failure;
    for (const int64_t stage : other.stages) {
      if (!Contains(all.stages, stage)) all.stages.push_back(stage);
    }
  }
  if (all.stages.size() == 1) return all;
  if (all.stages.size() > kMaxStagesMeasured)
    all.evidence +=
        fmt::format("; the {} stages take {}", all.stages.size(), FormatDuration(TimeOfStages(input, all.stages)));
  const size_t others = all.stages.size() - 1;
  all.title += fmt::format("; the same in {} other stage{}", others, others == 1 ? "" : "s");
  const auto named_end = all.stages.begin() + static_cast<ptrdiff_t>(std::min(all.stages.size(), kMaxStagesNamed));
  all.what += fmt::format(". Stages: {}{}", fmt::join(all.stages.begin(), named_end, ", "),
                          all.stages.size() > kMaxStagesNamed ? ", …" : "");
  return all;
}

// All findings of a stage, or of a group of equal stages, without symptoms of other causes.
std::vector<Finding> InStage(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                             const std::function<bool(const NamedStageRule&)>& is_asked, const Symptoms& symptoms) {
  std::vector<Finding> found;
  for (const NamedStageRule& rule : kStageRules) {
    if (!is_asked(rule)) continue;
    std::optional<Finding> finding = rule.find(input, stage, summary);
    if (!finding) continue;
    finding->rule = rule.id;
    finding->id = fmt::format("{}-{}.{}", rule.id, stage.id, stage.attempt);
    if (!finding->level) finding->level = rule.level;
    finding->stages = {stage.id};
    const WorkName& work = WorkOf(input, stage);
    if (!work.library.empty()) finding->what += ". Run by " + work.line;
    for (const uint32_t row : summary.group) {
      const int64_t id = input.application.stages[row].id;
      if (id != stage.id) finding->stages.push_back(id);
    }
    found.push_back(std::move(*finding));
  }
  symptoms.Fold(&found);
  return found;
}

// Groups a rule's findings by cause and line of code, worst first.
std::vector<std::vector<Finding>> GroupByCause(std::vector<Finding>&& findings) {
  std::vector<std::vector<Finding>> groups;
  const auto cause = [](const Finding& finding) {
    return std::pair(finding.cause, finding.frames.empty() ? std::string() : finding.frames.front());
  };
  for (Finding& finding : findings) {
    const auto same =
        std::ranges::find_if(groups, [&](const auto& group) { return cause(group.front()) == cause(finding); });
    if (same != groups.end()) {
      same->push_back(std::move(finding));
    } else {
      groups.emplace_back().push_back(std::move(finding));
    }
  }
  return groups;
}

// Sorts stages by duration, because a rule for the whole application does not have their gains.
void SortByTime(const FindingInput& input, std::vector<int64_t>* stages) {
  if (stages->size() < 2) return;
  std::map<int64_t, int64_t> time_ns;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    time_ns[input.application.stages[row].id] += input.stages[row].wall_ns;
  }
  std::ranges::stable_sort(*stages, [&](int64_t a, int64_t b) { return time_ns[a] > time_ns[b]; });
}

// If tasks can shrink by less than the claim removes, the run then waits for other tasks.
void AddSlack(const ClaimReplay& replay, Finding* finding) {
  const std::optional<int64_t> slack_ns = replay.SlackOf(finding->claim);
  if (!slack_ns || finding->evidence.empty() || *slack_ns >= replay.LikelyTimeOf(finding->claim)) return;
  finding->evidence +=
      fmt::format("; once the stage is {} shorter, the run waits for its other tasks", FormatDuration(*slack_ns));
}

// Merges a failure found in a log's text with the same failure found by a rule in tasks or executors.
void JoinSameFailures(std::vector<Finding>* findings) {
  const auto text = std::ranges::find_if(
      *findings, [](const Finding& one) { return one.rule == "failure" && one.is_failure && one.failure; });
  if (text == findings->end()) return;
  const auto same = std::ranges::find_if(*findings, [&](const Finding& one) {
    return one.rule != "failure" && one.failure && one.failure->failure == text->failure->failure;
  });
  if (same == findings->end()) return;
  same->is_failure = true;
  same->severity = Severity::kHigh;
  same->claim = {};
  findings->erase(text);
}

// Heaps that were too small once are not too large, and a failure found by a more specific rule needs no second
// finding.
void RemoveContradictions(std::vector<Finding>* findings) {
  const auto has = [&](std::string_view rule) {
    return std::ranges::any_of(*findings, [&](const Finding& one) { return one.rule == rule; });
  };
  if (has("oom") || has("lost-executors"))
    std::erase_if(*findings, [](const Finding& one) { return one.rule == "unused-memory"; });
  const bool is_named = std::ranges::any_of(
      *findings, [](const Finding& one) { return one.rule == "failure" && one.failure && NamesCause(*one.failure); });
  const bool is_known = std::ranges::any_of(*findings, [&](const Finding& one) {
    const bool is_unexplained = one.rule == "failed-work" && !(is_named && IsWrapper(one.cause));
    const bool names_cause = one.failure && NamesCause(*one.failure);
    return one.is_failure && one.rule != "failure" && (names_cause || is_unexplained);
  });
  const bool names_throttling = std::ranges::any_of(
      *findings, [](const Finding& one) { return one.failure && IsThrottling(*one.failure->failure); });
  if (names_throttling) std::erase_if(*findings, [](const Finding& one) { return one.rule == "store-throttling"; });
  if (is_known) std::erase_if(*findings, [](const Finding& one) { return one.rule == "failure"; });
}

std::optional<Finding> InApplication(const FindingInput& input, const NamedApplicationRule& rule) {
  std::optional<Finding> finding = rule.find(input);
  if (!finding) return std::nullopt;
  finding->rule = rule.id;
  finding->id = fmt::format("{}{}{}", rule.id, finding->id.empty() ? "" : "-", finding->id);
  if (!finding->level) finding->level = rule.level;
  SortByTime(input, &finding->stages);
  return finding;
}

}  // namespace

std::string_view SeverityName(Severity severity) { return kSeverities[static_cast<size_t>(severity)]; }

std::optional<Severity> ParseSeverity(std::string_view name) {
  const auto found = std::ranges::find(kSeverities, name);
  if (found == std::end(kSeverities)) return std::nullopt;
  return static_cast<Severity>(found - std::begin(kSeverities));
}

std::string_view ConfidenceName(double confidence) {
  if (confidence >= kHighConfidence) return "high";
  return confidence >= kMediumConfidence ? "medium" : "low";
}

size_t CountRules(const RulesApplied& applied) {
  std::set<std::string_view> ids;
  for (const NamedStageRule& rule : kStageRules) {
    if (applied.Has(rule.need)) ids.insert(rule.id);
  }
  for (const NamedApplicationRule& rule : kApplicationRules) {
    if (applied.Has(rule.need)) ids.insert(rule.id);
  }
  return ids.size();
}

AllFindings FindAll(const FindingInput& input) {
  ClaimReplay replay(input.application, input.run);
  const Symptoms symptoms(replay);
  const std::vector<StageGroup> groups = GroupsOfStages(input);
  std::vector<bool> is_in_group(input.stages.size());
  for (const StageGroup& group : groups) {
    for (const uint32_t row : group.summary.group) is_in_group[row] = true;
  }
  // Rules without their data find nothing. Data missing from an excerpt may contradict others.
  const bool has_driver = PartsKnownOf(input.application).jobs;
  const bool has_run = has_driver && !input.IsExcerpt();
  const auto knows_enough = [&](const NamedStageRule& rule, size_t row) {
    if (rule.need == RuleNeed::kWholeRun) return has_run;
    return rule.need == RuleNeed::kTasks || !input.LacksTasks(row);
  };
  std::vector<std::vector<Finding>> of_stages(input.stages.size() + groups.size());
  ForEachInParallel(of_stages.size(), MemoryLimit::Threads(), [&](size_t row) {
    if (row < input.stages.size()) {
      of_stages[row] = InStage(
          input, input.application.stages[row], input.stages[row],
          [&](const NamedStageRule& rule) {
            return knows_enough(rule, row) && (!is_in_group[row] || !IsOfGroups(rule.id));
          },
          symptoms);
    } else {
      const StageGroup& group = groups[row - input.stages.size()];
      of_stages[row] = InStage(
          input, *group.longest, group.summary,
          [&](const NamedStageRule& rule) {
            return IsOfGroups(rule.id) &&
                   std::ranges::all_of(group.summary.group, [&](uint32_t stage) { return knows_enough(rule, stage); });
          },
          symptoms);
    }
  });
  std::map<std::string, std::vector<Finding>> by_rule;
  for (std::vector<Finding>& of_stage : of_stages) {
    for (Finding& finding : of_stage) by_rule[finding.rule].push_back(std::move(finding));
  }
  std::vector<Finding> findings;
  for (auto& [rule, of_rule] : by_rule) {
    for (Finding& finding : of_rule) finding.saving = replay.EstimateOf(finding.claim);
    std::ranges::stable_sort(
        of_rule, [](const Finding& a, const Finding& b) { return a.saving.Expected() > b.saving.Expected(); });
    for (std::vector<Finding>& of_cause : GroupByCause(std::move(of_rule)))
      findings.push_back(Merge(input, std::move(of_cause)));
  }
  std::vector<std::optional<Finding>> of_application(std::size(kApplicationRules));
  ForEachInParallel(of_application.size(), MemoryLimit::Threads(), [&](size_t row) {
    const NamedApplicationRule& rule = kApplicationRules[row];
    const bool knows_run = rule.need != RuleNeed::kWholeRun || has_run;
    if (knows_run && (rule.need != RuleNeed::kDriver || has_driver)) of_application[row] = InApplication(input, rule);
  });
  for (std::optional<Finding>& finding : of_application) {
    if (finding) findings.push_back(std::move(*finding));
  }
  RemoveContradictions(&findings);
  JoinSameFailures(&findings);
  symptoms.Fold(&findings);
  SetSavings(input, &replay, &findings);
  std::ranges::stable_sort(findings, IsMoreImportant);
  AllFindings all;
  for (Finding& finding : findings) (finding.is_context ? all.context : all.findings).push_back(std::move(finding));
  if (all.findings.size() > kMaxFindings) all.findings.resize(kMaxFindings);
  MarkOverlaps(input, &replay, &all.findings);
  for (Finding& finding : all.findings) {
    if (finding.is_failure && finding.failure) {
      auto report = std::make_shared<FailureReport>(*finding.failure);
      AddConsequences(input.application, report.get());
      if (const std::string then = ConsequencesOf(*report); !then.empty()) {
        if (finding.evidence.ends_with('.') && !finding.evidence.ends_with("..")) finding.evidence.pop_back();
        finding.evidence += "; then: " + then;
      }
      finding.failure = std::move(report);
    }
    AddSlack(replay, &finding);
    NameLines(input.application, input.names, &finding);
    const std::string settings = SettingsInForce(input.application, finding.change);
    finding.settings = finding.failure ? AdvisedSettings(input.application, finding.failure->remedy)
                                       : AdvisedSettings(input.application, finding.change);
    finding.example = ExampleOf(input.application, finding);
    finding.ruled_out = RuledOut(input, finding);
    if (!settings.empty()) finding.change += ". " + settings;
  }
  return all;
}

std::string StageText(const FindingInput& input, const Stage& stage) {
  std::string text = fmt::format("stage {}", stage.id);
  if (stage.attempt > 0) text += fmt::format(".{}", stage.attempt);
  const std::string& line = WorkOf(input, stage).line;
  return line.empty() ? text : fmt::format("{} ({})", text, line);
}

Selection SelectStage(const Stage& stage, Event event) {
  Selection selection;
  selection.event = EventName(event);
  selection.stage = stage.id;
  selection.stage_attempt = stage.attempt;
  return selection;
}

const WorkName& WorkOf(const FindingInput& input, const Stage& stage) {
  return input.names.stages[static_cast<size_t>(&stage - input.application.stages.data())];
}

bool AreAlike(int64_t a, int64_t b) {
  constexpr int64_t kTenth = 10;
  return std::abs(a - b) <= std::max(a, b) / kTenth;
}

TimeRange TaskSpan(const FindingInput& input, const StageSummary& stage) {
  const Tasks& tasks = input.application.tasks;
  TimeRange span;
  for (const uint32_t task : stage.tasks) {
    const int64_t launch_ns = tasks.launch_ns[task];
    if (launch_ns > 0 && (span.start_ns == 0 || launch_ns < span.start_ns)) span.start_ns = launch_ns;
    span.end_ns = std::max(span.end_ns, tasks.finish_ns[task]);
  }
  span.end_ns = std::max(span.start_ns, span.end_ns);
  return span;
}

Claim ClaimTasks(const FindingInput& input, const StageSummary& summary, int64_t task_time_ns, const Removal& removal,
                 std::optional<AccountPart> part) {
  Claim claim{.removal = removal};
  if (task_time_ns <= 0 || summary.tasks.empty()) return claim;
  std::vector<uint32_t> rows = summary.group;
  if (rows.empty()) rows = {static_cast<uint32_t>(input.application.tasks.stage[summary.tasks.front()])};
  for (const uint32_t row : rows) {
    const double share = Share(input.stages[row].Total(TaskMetric::kDuration), summary.Total(TaskMetric::kDuration));
    const auto ns = Scaled(task_time_ns, rows.size() == 1 ? 1 : share);
    claim.stages.push_back({static_cast<int32_t>(row), part, ns});
  }
  return claim;
}

Claim ClaimStages(const FindingInput& input, const std::vector<int64_t>& stages, int64_t wall_ns,
                  const Removal& removal) {
  const std::set<int64_t> ids(stages.begin(), stages.end());
  const int64_t whole_ns = TimeOfStages(input, stages);
  Claim claim{.removal = removal, .wall_ns = std::max<int64_t>(0, wall_ns - whole_ns)};
  const double share = std::min(1.0, Share(wall_ns, whole_ns));
  for (size_t row = 0; row < input.stages.size(); ++row) {
    if (!ids.contains(input.application.stages[row].id)) continue;
    const auto task_ns = static_cast<double>(input.stages[row].Total(TaskMetric::kDuration));
    claim.stages.push_back({static_cast<int32_t>(row), std::nullopt, static_cast<int64_t>(task_ns * share)});
  }
  return claim;
}

Claim ClaimWall(int64_t wall_ns, const Removal& removal) { return {.removal = removal, .wall_ns = wall_ns}; }

int64_t WallTimeOf(const FindingInput& input, const StageSummary& stage, int64_t task_time_ns) {
  const int64_t total_ns = stage.Total(TaskMetric::kDuration);
  // Cores that are idle beside a straggler belong to its finding.
  const int64_t cores = std::min(input.cores, std::max<int64_t>(1, static_cast<int64_t>(stage.tasks.size())));
  const int64_t span_ns = std::min(stage.wall_ns, total_ns / cores);
  return Scaled(span_ns, std::min(1.0, Share(task_time_ns, total_ns)));
}

int64_t TimeOfCpuSamples(const StageSummary& stage, int64_t cpu_ns) {
  const double waits = std::max(1.0, Share(stage.runnable_ns, stage.cpu_samples_ns));
  return Scaled(cpu_ns, waits);
}

int64_t GainOfBalance(const FindingInput& input, const StageSummary& stage, int64_t most_ns) {
  const int64_t span_ns = TaskSpan(input, stage).Duration();
  return std::clamp<int64_t>(span_ns - stage.Total(TaskMetric::kDuration) / input.cores, 0, most_ns);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/answers.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "analysis/findings/scheduling/stage_tasks.h"
#include "analysis/selection/time_range.h"
#include "analysis/summary.h"
#include "base/memory_limit.h"
#include "base/parallel.h"

namespace sparkprof {

Answers Answer(const Application& application, const std::optional<PriceList>& prices) {
  Answers answers;
  answers.kinds = KindsOfStacks(application);
  answers.stages = SummarizeStages(application, answers.kinds);
  answers.names = NamesOfWork(application);
  answers.accounted = std::make_shared<const AccountedRun>(application, answers.stages);
  answers.udfs = CostOfUdfs(application);
  const bool is_excerpt = !MissingFromLogs(application).empty();
  const Payers payers(application, answers.stages, answers.udfs);
  // These parts are independent of each other; the longest come first.
  const std::function<void()> parts[] = {
      [&] {
        AllFindings found = FindAll({application, answers.kinds, answers.stages, answers.names, *answers.accounted,
                                     payers, Functions(application.profile), RangeOf(application).Duration(),
                                     std::max<int64_t>(1, PeakCores(application)), FirstLaunches(application),
                                     is_excerpt ? StagesWithAllTasks(application) : std::vector<bool>()});
        answers.findings = std::move(found.findings);
        answers.context = std::move(found.context);
      },
      [&] {
        answers.owners = OwnersOfCpu(application);
        answers.lines = SummaryLines(application, answers.kinds, answers.stages, answers.names, answers.owners);
      },
      [&] { answers.waits = WaitsOfStages(application, answers.kinds); },
      [&] {
        answers.time_spent = SplitTime(application);
        answers.rules = RulesAppliedTo(application);
        answers.rules.checked = CountRules(answers.rules);
        answers.errors = ErrorsOf(application.logs);
        answers.python_cpu_ns = CpuOfPythonWorkers(application);
      },
  };
  ForEachInParallel(std::size(parts), MemoryLimit::Threads(), [&](size_t row) { parts[row](); });
  // Without tasks, samples and batches there is no time to save, so savings cannot rank the findings: lists show them
  // whole.
  const bool is_of_logs =
      !answers.rules.any && application.profile.samples.empty() && application.streaming_batches.empty();
  for (Finding& finding : answers.findings) finding.is_from_fragment |= is_of_logs;
  answers.verdict = VerdictOf(application, answers);
  if (prices) {
    Costs costs(application, *prices);
    if (costs.IsKnown()) {
      answers.lines.push_back(CostLine(costs));
      answers.costs.emplace(std::move(costs));
    }
  }
  return answers;
}

void AddAccountSums(const Application& application, Answers* answers) {
  answers->account_sums = SumAccount(application, answers->stages, answers->udfs, *answers->accounted);
}

std::vector<Answers> AnswerAll(const std::vector<const Application*>& applications,
                               const std::optional<PriceList>& prices) {
  std::vector<Answers> answers;
  for (const Application* const application : applications) answers.push_back(Answer(*application, prices));
  return answers;
}

std::vector<AnsweredRun> RunsOf(const std::vector<const Application*>& applications,
                                const std::vector<Answers>& answers) {
  std::vector<AnsweredRun> runs;
  for (size_t row = 0; row < applications.size(); ++row) runs.push_back({*applications[row], answers[row]});
  return runs;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account/account.h"
#include "analysis/account/claim_replay.h"
#include "analysis/answers.h"
#include "analysis/findings/finding.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/stage_totals.h"
#include "analysis/time/time_spent.h"
#include "analysis/time/timeline.h"
#include "base/time.h"
#include "model/application.h"

namespace sparkprof {

// Whatever the input was: no total may be impossible. Returns what is, in words; empty for a possible application,
// which every input must become.
class ImpossibleTotals {
 public:
  static std::vector<std::string> Of(const Application& application) {
    ImpossibleTotals check(application);
    check.CheckTasks();
    check.CheckIntervals();
    check.CheckTimeSpent();
    check.CheckConcurrency();
    check.CheckTotals();
    check.CheckAnswers();
    check.CheckAccount();
    return check.found_;
  }

  // Checks its account alone, which takes far less time.
  static std::vector<std::string> OfAccount(const Application& application) {
    ImpossibleTotals check(application);
    check.CheckAccount();
    return check.found_;
  }

 private:
  explicit ImpossibleTotals(const Application& application) : application_(application), range_(RangeOf(application)) {}

  void Require(bool holds, std::string_view what, size_t row) {
    if (!holds) found_.push_back(std::string(what) + ", row " + std::to_string(row));
  }

  void RequireInterval(int64_t begin_ns, int64_t end_ns, std::string_view what, size_t row) {
    const auto is_inside = [&](int64_t time_ns) {
      return time_ns == 0 || (time_ns >= range_.start_ns && time_ns <= range_.end_ns);
    };
    Require(begin_ns == 0 || end_ns == 0 || end_ns >= begin_ns, std::string(what) + " ends before it begins", row);
    Require(is_inside(begin_ns) && is_inside(end_ns), std::string(what) + " is outside of the application", row);
  }

  void CheckTasks() {
    const Tasks& tasks = application_.tasks;
    for (size_t row = 0; row < tasks.Size(); ++row) {
      RequireInterval(tasks.launch_ns[row], tasks.finish_ns[row], "task", row);
      Require(tasks.launch_ns[row] > 0 || tasks.finish_ns[row] == 0, "task ends without a begin", row);
      for (const MetricColumn& column : tasks.metrics) Require(column[row] >= 0, "negative metric", row);
      const int64_t duration_ns = tasks.Column(TaskMetric::kDuration)[row];
      Require(duration_ns <= range_.Duration() + kNanosPerSecond, "task is longer than the application", row);
    }
  }

  void CheckIntervals() {
    Require(range_.start_ns >= 0 && range_.end_ns >= range_.start_ns, "application ends before it begins", 0);
    for (const Stage& stage : application_.stages) RequireInterval(stage.submit_ns, stage.end_ns, "stage", 0);
    for (const Job& job : application_.jobs) RequireInterval(job.submit_ns, job.end_ns, "job", 0);
    for (const SqlExecution& sql : application_.sql_executions) RequireInterval(sql.start_ns, sql.end_ns, "SQL", 0);
    for (const Executor& executor : application_.executors) {
      RequireInterval(executor.add_ns, executor.remove_ns, "executor", 0);
      Require(executor.cores >= 0, "negative cores", 0);
    }
  }

  void CheckTimeSpent() {
    const TimeSpent spent = SplitTime(application_);
    int64_t sum = 0, cores = 0;
    for (const TimePart& part : spent.parts) {
      Require(part.ns >= 0, "negative part of the core time: " + part.name, 0);
      sum += part.ns;
    }
    for (const int64_t of_executor : CoresOf(application_)) cores += of_executor;
    Require(spent.parts.empty() || sum == spent.core_time_ns, "parts do not add up to the core time", 0);
    cores = std::max<int64_t>(cores, ProfileOf(application_).peak);
    Require(static_cast<double>(spent.core_time_ns) <= 1.000001 * static_cast<double>(cores) * Seconds() * 1e9,
            "core time beyond cores x span", 0);
  }

  void CheckConcurrency() {
    const ConcurrencyProfile profile = ProfileOf(application_);
    int64_t sum = 0;
    for (const int64_t time_ns : profile.time_at_ns) {
      Require(time_ns >= 0, "negative time at a concurrency", 0);
      sum += time_ns;
    }
    Require(sum == range_.Duration(), "times at concurrencies do not add up", 0);
    Require(profile.mean >= 0 && profile.mean <= profile.peak && profile.mean_active <= profile.peak + 1e-6,
            "mean beyond peak", 0);
  }

  void CheckTotals() {
    for (const StageTotals& totals : TotalsOfStages(application_)) {
      for (const int64_t count : totals.count) Require(count >= 0, "negative count of tasks", 0);
      for (const int64_t sum : totals.sum) Require(sum >= 0, "negative total of a stage", 0);
    }
    for (const JobTotals& totals : TotalsOfJobs(application_)) {
      Require(totals.active_tasks >= 0 && totals.completed_tasks >= 0 && totals.skipped_tasks >= 0,
              "negative count of a job", 0);
    }
    for (const ExecutorTotals& totals : TotalsOfExecutors(application_)) {
      Require(totals.duration_ns >= 0, "negative total of an executor", 0);
    }
  }

  void CheckAnswers() {
    const Answers answers = Answer(application_);
    double together = 0;  // sum of the savings that do not overlap
    std::set<std::string> ids;
    for (const Finding& finding : answers.findings) {
      const Saving& saving = finding.saving;
      Require(saving.low_ns >= 0 && saving.low_ns <= saving.likely_ns && saving.likely_ns <= saving.high_ns &&
                  saving.high_ns <= range_.Duration(),
              "impossible saving: " + finding.title, 0);
      Require(finding.severity == Severity::kLow || finding.is_failure || finding.risk > 0 || saving.IsKnown(),
              "severity without a saving: " + finding.title, 0);
      Require(finding.overlaps.empty() || ids.contains(finding.overlaps), "unknown overlap: " + finding.title, 0);
      if (finding.overlaps.empty()) together += static_cast<double>(saving.likely_ns);
      ids.insert(finding.id);
      for (const std::string* text : {&finding.title, &finding.what, &finding.evidence}) CheckShares(*text);
    }
    Require(together <= 1.001 * static_cast<double>(range_.Duration()) + 1e6, "savings beyond the duration", 0);
    for (const std::string& line : answers.lines) CheckShares(line);
  }

  template <typename Entries>
  void CheckSum(const Entries& entries, int64_t whole_ns, std::string_view what) {
    int64_t sum = 0;
    for (const AccountEntry& entry : entries) {
      Require(entry.ns > 0, "entry without time in the account of " + std::string(what), 0);
      Require(entry.low_ns >= 0 && entry.low_ns <= entry.ns && entry.ns <= entry.high_ns, "entry outside of its range",
              static_cast<size_t>(entry.part));
      sum += entry.ns;
    }
    Require(sum == whole_ns,
            "entries do not add up to the " + std::string(what) + ": " + std::to_string(sum) + " of " +
                std::to_string(whole_ns),
            0);
  }

  void CheckAccount() {
    const AccountedRun accounted(application_, SummarizeStages(application_, KindsOfStacks(application_)));
    const Account& account = accounted.account;
    CheckSavings(accounted);
    if (application_.is_foreign || application_.is_node) return;
    Require(account.duration_ns == range_.Duration(), "account of another duration", 0);
    CheckSum(account.wall, account.duration_ns, "wall-clock time");
    if (accounted.Core()) CheckSum(accounted.Core()->entries, accounted.Core()->budget_ns, "core time");
    int64_t now_ns = range_.start_ns;
    for (size_t row = 0; row < account.wall.size(); ++row) {
      Require(account.wall[row].begin_ns == now_ns, "hole in the wall-clock time", row);
      now_ns += account.wall[row].ns;
    }
  }

  // No finding promises more than the time that it claims, and no two of them the same time.
  void CheckSavings(const AccountedRun& accounted) {
    ClaimReplay replay(application_, accounted);
    const Answers answers = Answer(application_);
    std::vector<const Claim*> claims;
    int64_t low_ns = 0;
    for (const Finding& finding : answers.findings) {
      Claim whole = finding.claim;
      whole.removal = {0, 1, 1};
      Require(finding.saving.high_ns <= replay.MostOf(whole), "saving beyond its claim: " + finding.id, 0);
      if (!finding.overlaps.empty() || IsFolded(finding)) continue;
      claims.push_back(&finding.claim);
      low_ns += finding.saving.low_ns;
      Require(low_ns <= replay.LeastOf(claims) + kNanosPerMilli, "time promised twice: " + finding.id, 0);
    }
  }

  void CheckShares(const std::string& line) {
    for (size_t sign = line.find('%'); sign != std::string::npos; sign = line.find('%', sign + 1)) {
      size_t begin = sign;
      while (begin > 0 && (std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0 || line[begin - 1] == '.'))
        --begin;
      Require(begin == sign || std::stod(line.substr(begin, sign - begin)) <= 100.0, "impossible share: " + line, 0);
    }
  }

  double Seconds() const { return static_cast<double>(range_.Duration()) / 1e9; }

  const Application& application_;
  const TimeRange range_;
  std::vector<std::string> found_;
};

}  // namespace sparkprof

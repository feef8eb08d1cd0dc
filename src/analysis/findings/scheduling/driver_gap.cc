// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/driver_work.h"
#include "analysis/plans/call_site.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/spark_settings.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "base/time.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr int64_t kGapNs = 200'000'000;  // shorter ones are the scheduler's
constexpr size_t kNoJob = SIZE_MAX;
constexpr int64_t kLastGapNs = kNanosPerSecond;  // a shorter one at the end is that of stopping Spark
constexpr int64_t kLogTimeNs = kNanosPerSecond;  // resolution of most logs
constexpr int64_t kManyRowsReturned = 10'000;    // that the driver receives
constexpr int64_t kSomeResults = 64 << 10;       // bytes; a job that only counts sends 1 to 4 KiB for each task

struct Gap {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  size_t job_before = kNoJob;  // row
  size_t next_job = kNoJob;    // row; none after the last job

  int64_t Duration() const { return end_ns - begin_ns; }
};

// Jobs that text logs show as the map stages of a query under adaptive execution, which goes on with its next job.
std::unordered_set<int64_t> MapStageJobs(const Application& application) {
  static const re2::RE2 pattern("Got map stage job (\\d+)");
  std::unordered_set<int64_t> jobs;
  if (!application.sql_executions.empty()) return jobs;
  ForEachRecord(application.logs, "Got map stage job", [&](std::string_view text, int64_t) {
    int64_t job = 0;
    if (re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern, &job)) jobs.insert(job);
  });
  return jobs;
}

// Whether the program gets the rows of a query from one job after the other, and works in between.
bool IsIterated(const Job& job) { return job.name.starts_with("toLocalIterator at "); }

// Times without a job after the first one, and not within a query that Spark plans.
std::vector<Gap> GapsOf(const Application& application) {
  std::vector<size_t> order;
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    const Job& job = application.jobs[row];
    if (job.submit_ns > 0 && job.end_ns > 0) order.push_back(row);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return application.jobs[a].submit_ns < application.jobs[b].submit_ns; });
  std::unordered_map<int64_t, int64_t> start_of_query;
  for (const SqlExecution& sql : application.sql_executions) start_of_query[sql.id] = sql.start_ns;
  const std::unordered_set<int64_t> map_stages = MapStageJobs(application);
  std::vector<Gap> gaps;
  int64_t busy_until_ns = 0;
  size_t last_job = kNoJob;    // that ended last
  int64_t sql_execution = -1;  // of the job before
  for (const size_t row : order) {
    const Job& job = application.jobs[row];
    // Between the jobs of one query Spark plans, with what it learned from the job before.
    const bool is_of_last_query = job.sql_execution >= 0 && job.sql_execution == sql_execution;
    const bool is_same_query = (is_of_last_query && !IsIterated(job)) ||
                               (last_job != kNoJob && map_stages.contains(application.jobs[last_job].id));
    // From the start of a query to its first job Spark plans it.
    const auto query = start_of_query.find(job.sql_execution);
    const bool is_planned = !is_of_last_query && query != start_of_query.end() && query->second > 0;
    const int64_t end_ns = is_planned ? std::min(job.submit_ns, query->second) : job.submit_ns;
    if (busy_until_ns > 0 && end_ns - busy_until_ns >= kGapNs && !is_same_query)
      gaps.push_back({busy_until_ns, end_ns, last_job, row});
    if (job.end_ns > busy_until_ns) last_job = row;
    busy_until_ns = std::max(busy_until_ns, job.end_ns);
    sql_execution = job.sql_execution;
  }
  const bool has_end = application.ended && busy_until_ns > 0;
  if (has_end && application.end_ns - busy_until_ns >= kLastGapNs)
    gaps.push_back({busy_until_ns, application.end_ns, last_job});
  return gaps;
}

// The times of the records whose template starts with `begin`, in order.
std::vector<int64_t> TimesOf(const LogRecords& logs, std::string_view begin) {
  std::vector<int64_t> times_ns;
  ForEachRecord(logs, begin, [&](std::string_view, int64_t time_ns) { times_ns.push_back(time_ns); });
  std::sort(times_ns.begin(), times_ns.end());
  return times_ns;
}

// Ends the gaps of a text log with the batch of a stream that they begin in: then it waits for rows or its trigger.
void EndWithBatches(const LogRecords& logs, std::vector<Gap>* gaps) {
  const std::vector<int64_t> ends_ns = TimesOf(logs, "Streaming query made progress");
  for (Gap& gap : *gaps) {
    const auto end = std::lower_bound(ends_ns.begin(), ends_ns.end(), gap.begin_ns - kLogTimeNs);
    if (end != ends_ns.end() && *end < gap.end_ns) gap.end_ns = std::max(gap.begin_ns, *end);
  }
  std::erase_if(*gaps, [](const Gap& gap) { return gap.Duration() < kGapNs; });
}

// Cuts the gaps of a text log to their longest time without a message: Spark logs what it does when it plans and
// commits.
void CutToSilence(const LogRecords& logs, std::vector<Gap>* gaps) {
  const std::vector<int64_t> times_ns = TimesOf(logs, "");
  for (Gap& gap : *gaps) {
    int64_t begin_ns = gap.begin_ns, longest_ns = 0;
    Gap silent = gap;
    const auto cut = [&](int64_t end_ns) {
      if (end_ns - begin_ns > longest_ns) {
        longest_ns = end_ns - begin_ns;
        silent.begin_ns = begin_ns;
        silent.end_ns = end_ns;
      }
      begin_ns = end_ns;
    };
    for (auto at = std::upper_bound(times_ns.begin(), times_ns.end(), gap.begin_ns);
         at != times_ns.end() && *at < gap.end_ns; ++at)
      cut(*at);
    cut(gap.end_ns);
    gap = silent;
  }
  std::erase_if(*gaps, [](const Gap& gap) { return gap.Duration() <= kLogTimeNs; });
}

// Replaces the gaps of a text log between the jobs of one toLocalIterator(). Times of whole seconds make each of them
// inexact, and even negative; but the jobs' stages have exact durations, and so has the sum of these gaps.
void SetIteratedGaps(const Application& application, std::vector<Gap>* gaps) {
  const auto is_iterated = [&](size_t row) { return row != kNoJob && IsIterated(application.jobs[row]); };
  std::erase_if(*gaps, [&](const Gap& gap) { return is_iterated(gap.job_before) && is_iterated(gap.next_job); });
  std::unordered_map<int64_t, Gap> of_job;  // from the begin of its stages to their end
  for (const Stage& stage : application.stages) {
    Gap& span = of_job[stage.job];
    if (span.begin_ns == 0 || stage.submit_ns < span.begin_ns) span.begin_ns = stage.submit_ns;
    span.end_ns = std::max(span.end_ns, stage.end_ns);
  }
  for (size_t row = 1; row < application.jobs.size(); ++row) {
    const Job &before = application.jobs[row - 1], &next = application.jobs[row];
    if (!IsIterated(before) || before.name != next.name) continue;
    const int64_t begin_ns = of_job[before.id].end_ns, end_ns = of_job[next.id].begin_ns;
    if (begin_ns > 0 && end_ns > 0) gaps->push_back({begin_ns, end_ns, row - 1, row});
  }
}

// The time of the program's own code before the first job, at its end, if samples show at least a second of it; Spark
// starts meanwhile, too.
std::optional<Gap> GapBeforeJobs(const Application& application) {
  Gap gap;
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    const int64_t submit_ns = application.jobs[row].submit_ns;
    if (submit_ns > 0 && (gap.end_ns == 0 || submit_ns < gap.end_ns)) gap.end_ns = submit_ns, gap.next_job = row;
  }
  // A program imports its modules before Spark starts.
  const DriverTimes times = TimesOfDriver(
      application, [&](int64_t time_ns) { return time_ns >= application.start_ns && time_ns < gap.end_ns; });
  int64_t wall_ns = 0;
  for (const auto& [line, line_ns] : times.by_wall) wall_ns += line_ns;
  gap.begin_ns = gap.end_ns - std::min(wall_ns, gap.end_ns - application.start_ns);
  if (gap.next_job == kNoJob || gap.Duration() < kNanosPerSecond) return std::nullopt;
  return gap;
}

// Whether a job is a batch of a stream, also of Spark's old DStreams, which have no events of queries.
bool IsOfStream(const Job& job) {
  return job.description.find("batch = ") != std::string::npos ||
         job.description.find("Streaming job from") != std::string::npos ||
         job.description.find("[output operation") != std::string::npos;
}

// Whether a streaming query waits for its next trigger then.
bool IsBetweenTriggers(const Application& application, const Gap& gap) {
  const bool in_query = std::any_of(application.streaming_queries.begin(), application.streaming_queries.end(),
                                    [&](const StreamingQuery& query) {
                                      const int64_t end_ns = query.end_ns > 0 ? query.end_ns : application.end_ns;
                                      // A log that was rolled may lack the start.
                                      return query.start_ns < gap.end_ns && end_ns > gap.begin_ns;
                                    });
  if (in_query || gap.job_before == kNoJob || gap.next_job == kNoJob) return in_query;
  return IsOfStream(application.jobs[gap.job_before]) && IsOfStream(application.jobs[gap.next_job]);
}

// The lines before and after a gap, if no sample shows the one between them.
std::vector<std::string> LinesAround(const Application& application, const Gap& gap) {
  std::vector<std::string> lines;
  for (const size_t row : {gap.job_before, gap.next_job}) {
    if (row == kNoJob || !IsOfProgram(application.jobs[row].name)) continue;
    const std::string line = ShortCallSite(application.jobs[row].name);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

bool IsInGap(const std::vector<Gap>& gaps, int64_t time_ns) {
  return std::any_of(gaps.begin(), gaps.end(),
                     [time_ns](const Gap& gap) { return time_ns >= gap.begin_ns && time_ns < gap.end_ns; });
}

// Whether a job writes files, whose commit follows it.
bool WritesFiles(const Job& job) {
  static const re2::RE2 pattern("^(save|csv|json|orc|parquet|text|insertInto|jdbc|append|overwrite|create)\\w* at ");
  return re2::RE2::PartialMatch(job.name, pattern);
}

// The end of the first job that sends the driver more than counts and a few rows: the program may work on them from
// then on. INT64_MIN, which is before all gaps, if nothing shows how much jobs send.
int64_t FirstResults(const Application& application) {
  std::unordered_map<int64_t, int64_t> by_job;
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.stage[task] < 0) continue;
    const int64_t job = application.stages[static_cast<size_t>(tasks.stage[task])].job;
    AddSaturated(tasks.Column(TaskMetric::kResultSize)[task], &by_job[job]);
  }
  bool is_known = false;
  int64_t first_ns = INT64_MAX;
  for (const Job& job : application.jobs) {
    const int64_t bytes = by_job[job.id];
    is_known |= bytes > 0;
    if (bytes >= kSomeResults) first_ns = std::min(first_ns, job.end_ns);
  }
  return is_known ? first_ns : INT64_MIN;
}

// "before job 4 (count at job.py:7)", and what the driver received before.
std::string PlaceOf(const Application& application, const Gap& gap) {
  const auto text = [](const Job& job) {
    return job.name.empty() ? fmt::format("job {}", job.id)
                            : fmt::format("job {} ({})", job.id, ShortCallSite(job.name));
  };
  if (gap.next_job != kNoJob) return "before " + text(application.jobs[gap.next_job]);
  const Job& job = application.jobs[gap.job_before];
  std::string place = "after the last one, " + text(job);
  for (const SqlExecution& sql : application.sql_executions) {
    if (sql.id != job.sql_execution) continue;
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    if (operators.empty() || IsWrite(operators.front().kind)) continue;
    const int64_t rows = operators.front().rows_out.value_or(0);
    if (rows >= kManyRowsReturned)
      place += fmt::format(", whose query returned {} rows to the driver", CountText(rows));
  }
  return place;
}

// The time in gaps that is not the program's: the start of the application, and queries without a job.
int64_t TimeOfOthers(const Application& application, const Account& account, const std::vector<Gap>& gaps) {
  int64_t time_ns = 0;
  for (const WallEntry& entry : account.wall) {
    if (entry.part != AccountPart::kStartUp && entry.part != AccountPart::kDriverQuery) continue;
    for (const Gap& gap : gaps) {
      // Between the jobs of toLocalIterator() the program works, in a query.
      if (gap.job_before != kNoJob && IsIterated(application.jobs[gap.job_before])) continue;
      const int64_t end_ns = std::min(entry.begin_ns + entry.ns, gap.end_ns);
      time_ns += std::max<int64_t>(0, end_ns - std::max(entry.begin_ns, gap.begin_ns));
    }
  }
  return time_ns;
}

// The lines of the program that take most of the gaps, also in a call of Spark, by the account.
std::vector<std::string> LinesOfAccount(const Account& account, const std::vector<Gap>& gaps) {
  std::map<std::string, int64_t> by_line;
  for (const WallEntry& entry : account.wall) {
    if (!entry.payer.empty() && IsInGap(gaps, entry.begin_ns)) by_line[entry.payer] += entry.ns;
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [line, ns] : by_line) sorted.emplace_back(ns, line);
  std::sort(sorted.rbegin(), sorted.rend());
  constexpr size_t kMaxLines = 3;
  std::vector<std::string> lines;
  for (size_t row = 0; row < std::min(sorted.size(), kMaxLines); ++row) lines.push_back(sorted[row].second);
  return lines;
}

// Whether the program computes for most of the gaps: in Python, or else on the main thread of the driver's JVM.
bool Computes(const Application& application, const std::vector<Gap>& gaps, int64_t total_ns) {
  const DriverTimes times = TimesOfDriver(application, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); });
  int64_t cpu_ns = 0, wall_ns = 0;
  for (const auto& [line, ns] : times.by_cpu) cpu_ns += ns;
  for (const auto& [line, ns] : times.by_wall) wall_ns += ns;
  if (wall_ns > 0 || cpu_ns > 0) return 2 * cpu_ns >= wall_ns;
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  for (const Sample& sample : profile.samples) {
    const bool is_of_main = sample.event == cpu && profile.threads[sample.thread].name == "main";
    if (is_of_main && IsInGap(gaps, sample.time_ns)) cpu_ns += sample.weight;
  }
  return 2 * cpu_ns >= total_ns;
}

// The time without a query or job, as the account and the verdict have it: with pauses too short to be a gap, and what
// the program does before its first job. Text logs do not show where a query begins.
int64_t TimeOfProgram(const FindingInput& input) {
  int64_t time_ns = 0;
  if (HasOnlyLogs(input.application)) return time_ns;
  for (const WallEntry& entry : input.run.account.wall) {
    if (entry.part == AccountPart::kDriverProgram) time_ns += entry.ns;
  }
  return time_ns;
}

// The call of toPandas() that a gap follows: Python decodes the rows then. Empty = none.
std::string ToPandasBefore(const Application& application, const Gap& gap) {
  if (gap.job_before == kNoJob || !application.jobs[gap.job_before].name.starts_with("toPandas at ")) return {};
  return ShortCallSite(application.jobs[gap.job_before].name);
}

// Whether at least five gaps of a second take about the same time.
bool AreOfEqualLength(const std::vector<Gap>& gaps) {
  constexpr size_t kSeveral = 5;
  std::vector<int64_t> times_ns;
  for (const Gap& gap : gaps) {
    if (gap.Duration() >= kNanosPerSecond) times_ns.push_back(gap.Duration());
  }
  if (times_ns.size() < kSeveral) return false;
  std::sort(times_ns.begin(), times_ns.end());
  const int64_t median_ns = times_ns[times_ns.size() / 2];
  const auto equal =
      std::count_if(times_ns.begin(), times_ns.end(), [&](int64_t time_ns) { return AreAlike(time_ns, median_ns); });
  return static_cast<size_t>(equal) >= times_ns.size() - 1;
}

// Whether toPandas() passes rows one by one.
bool IsArrowOff(const Application& application) {
  const auto arrow = SettingOf(application, "spark.sql.execution.arrow.pyspark.enabled");
  return arrow ? *arrow == "false" : !IsSparkAtLeast(application, 4, 2);
}

}  // namespace

std::optional<Finding> FindDriverGaps(const FindingInput& input) {
  const Application& application = input.application;
  std::vector<Gap> gaps = GapsOf(application);
  std::erase_if(gaps, [&](const Gap& gap) { return IsBetweenTriggers(application, gap); });
  if (HasOnlyLogs(application)) {
    EndWithBatches(application.logs, &gaps);
    CutToSilence(application.logs, &gaps);
    SetIteratedGaps(application, &gaps);
  }
  const std::optional<Gap> first = GapBeforeJobs(application);
  if (first) gaps.insert(gaps.begin(), *first);
  const int64_t first_results_ns = FirstResults(application);
  int64_t total_ns = 0, work_ns = 0;  // of gaps that may be work
  Gap longest;
  for (const Gap& gap : gaps) {
    total_ns += gap.Duration();
    // Or Spark commits files.
    const bool may_commit = gap.job_before != kNoJob && WritesFiles(application.jobs[gap.job_before]);
    if (gap.begin_ns >= first_results_ns || may_commit) work_ns += gap.Duration();
    if (gap.Duration() > longest.Duration()) longest = gap;
  }
  total_ns -= std::min(total_ns, TimeOfOthers(application, input.run.account, gaps));
  if (total_ns < kWorthwhileNs || Share(total_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  const std::string share = FormatShare(Share(std::max(total_ns, TimeOfProgram(input)), input.duration_ns));
  Finding finding;
  finding.frames = DriverLines(application, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); });
  const bool is_of_python = !finding.frames.empty();
  if (!is_of_python) finding.frames = LinesOfAccount(input.run.account, gaps);
  const bool is_known = !finding.frames.empty();
  const DriverWork* const for_program =
      WorkForProgram(application, total_ns, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); });
  const bool computes = is_known && Computes(application, gaps, total_ns);
  const std::string line = is_known ? finding.frames.front() : std::string();
  finding.title = fmt::format(
      "{} for {} of the time: {}", application.sql_executions.empty() ? "No job runs" : "No query or job runs", share,
      !is_known                ? std::string("the driver program computes or waits")
      : for_program != nullptr ? fmt::format("Spark {} for {}", for_program->what, line)
                               : fmt::format("the driver program {} in {}", computes ? "computes" : "waits", line));
  finding.what = fmt::format("{} had {} gap{} without a job, {} in total",
                             first ? "The application" : "After its first job the application", gaps.size(),
                             gaps.size() == 1 ? "" : "s", FormatDuration(total_ns));
  finding.evidence =
      fmt::format("the longest gap takes {}, {}", FormatDuration(longest.Duration()), PlaceOf(application, longest));
  finding.evidence +=
      is_known
          ? fmt::format("; the driver {} in {}", computes ? "computes" : "is", line)
          : std::string(
                "; whether the program or Spark's catalog, listing and commits take it is unknown without a profile");
  finding.condition = fmt::format("No job runs for at least {} of the duration, in gaps of at least {}",
                                  FormatShare(kMuchOfTime), FormatDuration(kGapNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  const int64_t start_ns = application.start_ns;
  finding.selection.from_ns = std::max<int64_t>(0, longest.begin_ns - start_ns);
  finding.selection.to_ns = std::max<int64_t>(0, longest.end_ns - start_ns);
  finding.change = is_known || HasSamples(application)
                       ? ""
                       : "Profile the job with `sparkprof run` to see the lines of the driver. ";
  finding.change +=
      "Move this work into Spark tasks, or start independent jobs from several threads so that the cores have work "
      "meanwhile. List files and read small tables once";
  if (for_program != nullptr) finding.change = for_program->change;
  const std::string to_pandas = is_known ? std::string() : ToPandasBefore(application, longest);
  if (!to_pandas.empty()) {
    finding.title =
        fmt::format("No query or job runs for {} of the time: the driver receives the rows of {}, or works on them",
                    share, to_pandas);
    finding.change = (IsArrowOff(application) ? "Set spark.sql.execution.arrow.pyspark.enabled=true, with which "
                                                "toPandas() gets columns instead of rows. "
                                              : "") +
                     std::string("Aggregate, filter or write the rows in Spark instead of fetching all of them");
  }
  // Much of what a program does before its first job is what it needs to begin.
  const int64_t movable_ns = std::max<int64_t>(0, first ? total_ns - first->Duration() / 2 : total_ns);
  finding.claim = ClaimWall(movable_ns, for_program != nullptr                           ? kMost
                                        : is_of_python || computes || !to_pandas.empty() ? kHalf
                                                                                         : kSome);
  // A program that got no data to work on may as well sleep, or wait for a person or a service.
  if (!is_known && 2 * work_ns < total_ns) {
    finding.title =
        fmt::format("No job runs for {} of the time: whether the driver program computes or waits is unknown", share);
    finding.evidence += "; the jobs before returned next to no data to work on";
    finding.change =
        "Profile the job with `sparkprof run` to see the lines of the driver, and whether it computes, sleeps or waits "
        "for a person or a service";
    // Waits of equal length are those of a program, and not of a person.
    finding.claim = AreOfEqualLength(gaps) ? ClaimWall(movable_ns, kSome) : Claim();
  }
  // Text logs do not show which jobs are those of one query, between which Spark plans.
  const bool is_of_line = longest.job_before != kNoJob && longest.next_job != kNoJob &&
                          application.jobs[longest.job_before].name == application.jobs[longest.next_job].name;
  const bool is_iterated = longest.job_before != kNoJob && IsIterated(application.jobs[longest.job_before]);
  if (is_of_line && !is_iterated && HasOnlyLogs(application)) finding.claim.removal = kUnsure;
  // Without a line of the program, a pause of less than a second may be Spark's planning.
  if (!is_known && !is_iterated && longest.Duration() < kNanosPerSecond) finding.claim = {};
  if (!is_known) finding.frames = LinesAround(application, longest);
  const DriverSleep sleep =
      is_known ? SleepOfDriver(application, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); }) : DriverSleep();
  if (sleep.is_most) {
    finding.title = fmt::format("No job runs for {} of the time: the driver program sleeps in {}", share, line);
    finding.change =
        "Remove the pauses. If the program waits for a service, send all requests before it waits, or wait in several "
        "threads; unless it waits for a person";
    finding.claim = sleep.is_of_one_line || AreOfEqualLength(gaps) ? ClaimWall(movable_ns, kHalf) : Claim();
  }
  if (IsInteractive(application)) {
    finding.title = fmt::format("No job runs for {} of the time, in an interactive session", share);
    finding.claim = {};
    finding.is_context = true;
    finding.change = "Nothing to change in the job: the time between its commands is that of its user";
  }
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/driver_work.h"
#include "analysis/python/driver_lines.h"

namespace sparkprof {
namespace {

constexpr int64_t kGapNs = 200'000'000;  // shorter gaps are caused by the scheduler
constexpr size_t kNoJob = SIZE_MAX;
constexpr int64_t kLastGapNs = kNanosPerSecond;  // shorter gaps at the end are Spark's shutdown
constexpr int64_t kLogTimeNs = kNanosPerSecond;  // resolution of most logs
constexpr int64_t kManyRowsReturned = 10'000;    // received by the driver
constexpr int64_t kManyColumnsMade = 100;        // in one projection
constexpr int64_t kManyValues = 1'000;           // in one condition
constexpr int64_t kSomeResults = 64 << 10;       // bytes; a job that only counts sends 1 to 4 KiB per task

struct Gap {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  size_t job_before = kNoJob;  // row
  size_t next_job = kNoJob;    // row; none after the last job

  int64_t Duration() const { return end_ns - begin_ns; }
};

// Jobs in text logs that are the map stages of a query under adaptive execution, whose next job continues it.
std::unordered_set<int64_t> MapStageJobs(const Application& application) {
  static const re2::RE2 pattern("Got map stage job (\\d+)");
  std::unordered_set<int64_t> jobs;
  if (!application.sql_executions.empty()) return jobs;
  ForEachRecord(application.logs, "Got map stage job", [&](std::string_view text, int64_t) {
    int64_t job = 0;
    if (re2::RE2::PartialMatch(text, pattern, &job)) jobs.insert(job);
  });
  return jobs;
}

// True if the program gets a query's rows job by job, and works in between.
bool IsIterated(const Job& job) { return job.name.starts_with("toLocalIterator at "); }

// Times without a job after the first one, except within a query that Spark plans.
std::vector<Gap> GapsOf(const Application& application) {
  std::vector<size_t> order;
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    const Job& job = application.jobs[row];
    if (job.submit_ns > 0 && job.end_ns > 0) order.push_back(row);
  }
  std::ranges::sort(order,
                    [&](size_t a, size_t b) { return application.jobs[a].submit_ns < application.jobs[b].submit_ns; });
  std::unordered_map<int64_t, int64_t> start_of_query;
  for (const SqlExecution& sql : application.sql_executions) start_of_query[sql.id] = sql.start_ns;
  const std::unordered_set<int64_t> map_stages = MapStageJobs(application);
  std::vector<Gap> gaps;
  int64_t busy_until_ns = 0;
  size_t last_job = kNoJob;    // the one that ended last
  int64_t sql_execution = -1;  // query of the previous job
  for (const size_t row : order) {
    const Job& job = application.jobs[row];
    // Between the jobs of a query, Spark plans with what it learned from the previous job.
    const bool is_of_last_query = job.sql_execution >= 0 && job.sql_execution == sql_execution;
    const bool is_same_query = (is_of_last_query && !IsIterated(job)) ||
                               (last_job != kNoJob && map_stages.contains(application.jobs[last_job].id));
    // Spark plans a query from its start to its first job.
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

std::vector<int64_t> TimesOf(const LogRecords& logs, std::string_view begin) {
  std::vector<int64_t> times_ns;
  ForEachRecord(logs, begin, [&](std::string_view, int64_t time_ns) { times_ns.push_back(time_ns); });
  std::ranges::sort(times_ns);
  return times_ns;
}

// Ends the gaps of a text log with the streaming batch in which they begin: afterwards, the stream waits for rows or
// its trigger.
void EndWithBatches(const LogRecords& logs, std::vector<Gap>* gaps) {
  const std::vector<int64_t> ends_ns = TimesOf(logs, "Streaming query made progress");
  for (Gap& gap : *gaps) {
    const auto end = std::lower_bound(ends_ns.begin(), ends_ns.end(), gap.begin_ns - kLogTimeNs);
    if (end != ends_ns.end() && *end < gap.end_ns) gap.end_ns = std::max(gap.begin_ns, *end);
  }
  std::erase_if(*gaps, [](const Gap& gap) { return gap.Duration() < kGapNs; });
}

// Shortens the gaps of a text log to their longest time without a message, because Spark logs planning and commits.
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

// Replaces the gaps of a text log between the jobs of a toLocalIterator(). At a resolution of one second, single gaps
// are inexact or even negative; but the jobs' stages have exact durations, and so has the sum of the gaps.
void SetIteratedGaps(const Application& application, std::vector<Gap>* gaps) {
  const auto is_iterated = [&](size_t row) { return row != kNoJob && IsIterated(application.jobs[row]); };
  std::erase_if(*gaps, [&](const Gap& gap) { return is_iterated(gap.job_before) && is_iterated(gap.next_job); });
  std::unordered_map<int64_t, Gap> of_job;  // from the start of its stages to their end
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

// The time before the first job, from the program's first known line, if its lines take at least a second.
std::optional<Gap> GapBeforeJobs(const Application& application, const Account& account) {
  Gap gap;
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    const int64_t submit_ns = application.jobs[row].submit_ns;
    if (submit_ns > 0 && (gap.end_ns == 0 || submit_ns < gap.end_ns)) gap.end_ns = submit_ns, gap.next_job = row;
  }
  gap.begin_ns = gap.end_ns;
  int64_t program_ns = 0;
  for (const WallEntry& entry : account.wall) {
    if (entry.part != AccountPart::kDriverProgram || entry.payer.empty() || entry.begin_ns >= gap.end_ns) continue;
    program_ns += entry.ns;
    gap.begin_ns = std::min(gap.begin_ns, entry.begin_ns);
  }
  if (gap.next_job == kNoJob || program_ns < kNanosPerSecond) return std::nullopt;
  return gap;
}

// True for batches of streams, including DStreams, which have no query events.
bool IsOfStream(const Job& job) {
  return Contains(job.description, "batch = ") || Contains(job.description, "Streaming job from") ||
         Contains(job.description, "[output operation");
}

// True if a streaming query waits for its next trigger during the gap.
bool IsBetweenTriggers(const Application& application, const Gap& gap) {
  const bool in_query = std::ranges::any_of(application.streaming_queries, [&](const StreamingQuery& query) {
    const int64_t end_ns = query.end_ns > 0 ? query.end_ns : application.end_ns;
    // A rolled log may lack the start.
    return query.start_ns < gap.end_ns && end_ns > gap.begin_ns;
  });
  if (in_query || gap.job_before == kNoJob || gap.next_job == kNoJob) return in_query;
  return IsOfStream(application.jobs[gap.job_before]) && IsOfStream(application.jobs[gap.next_job]);
}

// The lines before and after a gap, for gaps without samples.
std::vector<std::string> LinesAround(const Application& application, const Gap& gap) {
  std::vector<std::string> lines;
  for (const size_t row : {gap.job_before, gap.next_job}) {
    if (row == kNoJob || !IsOfProgram(application.jobs[row].name)) continue;
    const std::string line = ShortCallSite(application.jobs[row].name);
    if (!Contains(lines, line)) lines.push_back(line);
  }
  return lines;
}

bool IsInGap(const std::vector<Gap>& gaps, int64_t time_ns) {
  return std::ranges::any_of(gaps,
                             [time_ns](const Gap& gap) { return time_ns >= gap.begin_ns && time_ns < gap.end_ns; });
}

// True if the job writes files, which a commit follows.
bool WritesFiles(const Job& job) {
  static const re2::RE2 pattern("^(save|csv|json|orc|parquet|text|insertInto|jdbc|append|overwrite|create)\\w* at ");
  return re2::RE2::PartialMatch(job.name, pattern);
}

// The end of the first job that sends the driver more than counts and a few rows, which the program may work on from
// then on. INT64_MIN if the sizes are unknown.
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

// "before job 4 (count at job.py:7)", and the data that the driver received before.
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

// Parts of a query that a program adds one by one: columns that one projection computes, "[id#1, abs(a#2) AS a#9, ...
// 340 more fields]", and values of a condition, "NOT card#0 INSET C1, C2, C3".
struct QueryPieces {
  int64_t columns = 0, values = 0;
};

QueryPieces PiecesOf(const Application& application, size_t job) {
  static const re2::RE2 cut(R"(\.\.\. (\d+) more fields)"), made(" AS ");
  constexpr std::string_view kList = " INSET ";
  const SqlExecution* const sql =
      job == kNoJob ? nullptr : ExecutionOf(application, application.jobs[job].sql_execution);
  QueryPieces pieces;
  if (sql == nullptr) return pieces;
  for (const PlanOperator& one : OperatorsOf(sql->plan)) {
    const std::string_view all = one.plan->text;
    if (one.kind == "Project") {
      re2::StringPiece text(all);
      int64_t columns = 0, more = 0;
      while (re2::RE2::FindAndConsume(&text, made)) ++columns;
      if (columns > 0 && re2::RE2::PartialMatch(one.plan->text, cut, &more)) columns += more;
      pieces.columns = std::max(pieces.columns, columns);
    } else if (const size_t list = all.find(kList); one.kind == "Filter" && list != all.npos) {
      pieces.values =
          std::max<int64_t>(pieces.values, std::count(all.begin() + static_cast<ptrdiff_t>(list), all.end(), ',') + 1);
    }
  }
  return pieces;
}

// The work for queries of many pieces, by their plans, if most of the gaps precede such queries.
std::optional<DriverWork> WorkForPieces(const Application& application, const std::vector<Gap>& gaps,
                                        int64_t total_ns) {
  int64_t columns_ns = 0, values_ns = 0;
  QueryPieces most;
  for (const Gap& gap : gaps) {
    const QueryPieces pieces = PiecesOf(application, gap.next_job);
    most = {std::max(most.columns, pieces.columns), std::max(most.values, pieces.values)};
    if (pieces.values >= kManyValues) {
      values_ns += gap.Duration();
    } else if (pieces.columns >= kManyColumnsMade) {
      columns_ns += gap.Duration();
    }
  }
  if (2 * values_ns >= total_ns)
    return DriverWork{fmt::format("Spark gets the {} values of a condition one by one", CountText(most.values)),
                      "Join with a table of the values instead of a list in the condition (isin, IN): LEFT SEMI JOIN, "
                      "or LEFT ANTI JOIN for NOT IN. The program passes each value in a call of its own, and Spark "
                      "analyzes and optimizes all of them for each query"};
  if (2 * columns_ns >= total_ns)
    return DriverWork{fmt::format("Spark analyzes a query that computes {} columns", CountText(most.columns)),
                      "Compute the columns in one select() or withColumns(), if the program adds them one after the "
                      "other: Spark analyzes the whole plan again for each withColumn() or select()"};
  return std::nullopt;
}

// Time in gaps that does not belong to the program: the start of the application, and queries without a job.
int64_t TimeOfOthers(const Application& application, const Account& account, const std::vector<Gap>& gaps) {
  int64_t time_ns = 0;
  for (const WallEntry& entry : account.wall) {
    if (entry.part != AccountPart::kStartUp && entry.part != AccountPart::kDriverQuery) continue;
    for (const Gap& gap : gaps) {
      // Between the jobs of toLocalIterator(), the program works inside a query.
      if (gap.job_before != kNoJob && IsIterated(application.jobs[gap.job_before])) continue;
      const int64_t end_ns = std::min(entry.begin_ns + entry.ns, gap.end_ns);
      time_ns += std::max<int64_t>(0, end_ns - std::max(entry.begin_ns, gap.begin_ns));
    }
  }
  return time_ns;
}

// The program's lines that take most of the gaps, including calls of Spark, from the account.
std::vector<std::string> LinesOfAccount(const Account& account, const std::vector<Gap>& gaps) {
  std::map<std::string, int64_t> by_line;
  for (const WallEntry& entry : account.wall) {
    const bool is_start = entry.part == AccountPart::kStartUp;
    if (!is_start && !entry.payer.empty() && IsInGap(gaps, entry.begin_ns)) by_line[entry.payer] += entry.ns;
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [line, ns] : by_line) sorted.emplace_back(ns, line);
  std::sort(sorted.rbegin(), sorted.rend());
  constexpr size_t kMaxLines = 3;
  std::vector<std::string> lines;
  for (size_t row = 0; row < std::min(sorted.size(), kMaxLines); ++row) lines.push_back(sorted[row].second);
  return lines;
}

// True if the program computes for most of the gaps: in its own Python code if that takes a part of them, otherwise
// also in PySpark's code and on the main thread of the driver's JVM.
bool Computes(const Application& application, const std::vector<Gap>& gaps, int64_t total_ns) {
  constexpr int64_t kSomePart = 5;  // 1/5 of the gaps
  const DriverTimes times = TimesOfDriver(application, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); });
  int64_t cpu_ns = 0, wall_ns = 0;
  for (const auto& [line, ns] : times.by_cpu) cpu_ns += ns;
  for (const auto& [line, ns] : times.by_wall) wall_ns += ns;
  if (kSomePart * std::max(wall_ns, cpu_ns) >= total_ns) return 2 * cpu_ns >= wall_ns;
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  const DriverPrograms programs(application);
  cpu_ns = 0;
  for (const Sample& sample : application.python_samples) {
    if (sample.event == cpu && programs.Has(sample) && IsInGap(gaps, sample.time_ns)) cpu_ns += sample.weight;
  }
  for (const Sample& sample : profile.samples) {
    const bool is_of_main = sample.event == cpu && profile.threads[sample.thread].name == "main";
    if (is_of_main && IsInGap(gaps, sample.time_ns)) cpu_ns += sample.weight;
  }
  return 2 * cpu_ns >= total_ns;
}

// Time without a query or job, as in the account and the verdict: includes pauses too short to be gaps, and the time
// before the first job. Text logs do not show where a query begins.
int64_t TimeOfProgram(const FindingInput& input) {
  int64_t time_ns = 0;
  if (HasOnlyLogs(input.application)) return time_ns;
  for (const WallEntry& entry : input.run.account.wall) {
    if (entry.part == AccountPart::kDriverProgram) time_ns += entry.ns;
  }
  return time_ns;
}

// The call of toPandas() or toLocalIterator() before a gap, whose rows the program receives and works on; empty = none.
std::string FetchBefore(const Application& application, const Gap& gap) {
  if (gap.job_before == kNoJob) return {};
  const Job& job = application.jobs[gap.job_before];
  return IsIterated(job) || job.name.starts_with("toPandas at ") ? ShortCallSite(job.name) : std::string();
}

// The call whose rows the program receives in most of the time of gaps; empty if one other gap is longer.
std::string FetchIn(const Application& application, const std::vector<Gap>& gaps, int64_t longest_ns) {
  std::map<std::string, int64_t> by_call;
  for (const Gap& gap : gaps) {
    if (const std::string call = FetchBefore(application, gap); !call.empty()) by_call[call] += gap.Duration();
  }
  const auto most = std::max_element(by_call.begin(), by_call.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_call.end() || most->second < longest_ns ? std::string() : most->first;
}

// True if at least five gaps of a second or more take about the same time.
bool AreOfEqualLength(const std::vector<Gap>& gaps) {
  constexpr size_t kSeveral = 5;
  std::vector<int64_t> times_ns;
  for (const Gap& gap : gaps) {
    if (gap.Duration() >= kNanosPerSecond) times_ns.push_back(gap.Duration());
  }
  if (times_ns.size() < kSeveral) return false;
  std::ranges::sort(times_ns);
  const int64_t median_ns = times_ns[times_ns.size() / 2];
  const auto equal = std::ranges::count_if(times_ns, [&](int64_t time_ns) { return AreAlike(time_ns, median_ns); });
  return static_cast<size_t>(equal) >= times_ns.size() - 1;
}

// The library whose job precedes a gap, and most likely computes with its result.
std::optional<DriverWork> LibraryBefore(const FindingInput& input, const Gap& gap) {
  if (gap.job_before == kNoJob) return std::nullopt;
  const std::vector<Stage>& stages = input.application.stages;
  for (size_t row = 0; row < stages.size(); ++row) {
    const WorkName& name = input.names.stages[row];
    if (stages[row].job == input.application.jobs[gap.job_before].id && !name.library.empty())
      return WorkOfLibrary(name.line);
  }
  return std::nullopt;
}

// True if toPandas() passes single rows.
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
  const std::optional<Gap> first = GapBeforeJobs(application, input.run.account);
  if (first) gaps.insert(gaps.begin(), *first);
  const int64_t first_results_ns = FirstResults(application);
  int64_t total_ns = 0, work_ns = 0;  // gaps that may be work
  Gap longest;
  for (const Gap& gap : gaps) {
    total_ns += gap.Duration();
    // Spark may commit files instead.
    const bool may_commit = gap.job_before != kNoJob && WritesFiles(application.jobs[gap.job_before]);
    if (gap.begin_ns >= first_results_ns || may_commit) work_ns += gap.Duration();
    if (gap.Duration() > longest.Duration()) longest = gap;
  }
  total_ns -= std::min(total_ns, TimeOfOthers(application, input.run.account, gaps));
  if (total_ns < kWorthwhileNs || Share(total_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  const std::string share = FormatShare(Share(std::max(total_ns, TimeOfProgram(input)), input.duration_ns));
  Finding finding;
  finding.frames = LinesOfAccount(input.run.account, gaps);
  const std::vector<std::string> python =
      DriverLines(application, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); });
  const bool is_of_python = !python.empty();
  if (finding.frames.empty()) finding.frames = python;
  const bool is_known = !finding.frames.empty();
  const bool computes = is_known && Computes(application, gaps, total_ns);
  std::optional<DriverWork> for_program =
      WorkForProgram(application, total_ns, [&](int64_t time_ns) { return IsInGap(gaps, time_ns); });
  // The program itself computes, whatever its JVM compiles.
  if (for_program && for_program->is_start && computes) for_program.reset();
  const bool is_sampled = for_program.has_value();
  if (!for_program && !is_known) for_program = WorkForPieces(application, gaps, total_ns);
  if (!for_program && !computes && 2 * longest.Duration() >= total_ns) for_program = LibraryBefore(input, longest);
  const std::string line = is_known ? finding.frames.front() : std::string();
  finding.title = fmt::format(
      "{} for {} of the time: {}", application.sql_executions.empty() ? "No job runs" : "No query or job runs", share,
      for_program
          ? fmt::format("{}{}{}", for_program->what, is_known ? " for " + line : "", is_sampled ? "" : ", most likely")
      : !is_known ? std::string("the driver program computes or waits")
                  : fmt::format("the driver program {} in {}", computes ? "computes" : "waits", line));
  finding.what = fmt::format("{} had {} gap{} without a job, {} in total",
                             first ? "The application" : "After its first job the application", gaps.size(),
                             gaps.size() == 1 ? "" : "s", FormatDuration(total_ns));
  const int64_t longest_ns = longest.Duration() - TimeOfOthers(application, input.run.account, {longest});
  finding.evidence =
      fmt::format("the longest gap takes {}, {}", FormatDuration(longest_ns), PlaceOf(application, longest));
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
  if (for_program) finding.change = for_program->change;
  const std::string call = FetchIn(application, gaps, longest.Duration());
  const bool is_iterated = call.starts_with("toLocalIterator at ");
  const std::string fetch = for_program || (is_known && !is_iterated) ? std::string() : call;
  if (!fetch.empty()) {
    finding.title = fmt::format(
        "No query or job runs for {} of the time: the driver receives the rows of {}{} works on them{}", share, fetch,
        is_known ? " and" : ", or", is_known && line != fetch.substr(fetch.rfind(' ') + 1) ? " in " + line : "");
    const bool is_pandas = fetch.starts_with("toPandas");
    finding.change = fmt::format(
        "{}Let Spark compute what the program does with the rows of {}: filters, aggregates, windows (running sums), "
        "or applyInPandas() by key, in tasks on all cores. Write the rows in Spark, or fetch only the result",
        is_pandas && IsArrowOff(application)
            ? "Set spark.sql.execution.arrow.pyspark.enabled=true, with which toPandas() gets columns instead of rows. "
            : "",
        fetch.substr(0, fetch.find(' ')) + "()");
  }
  // Most programs need some of the time before their first job.
  const int64_t needed_ns = first && !for_program ? first->Duration() / 2 : 0;
  const int64_t movable_ns = std::max<int64_t>(0, total_ns - needed_ns);
  const bool is_of_library = for_program && for_program->is_of_library;
  finding.claim = ClaimWall(movable_ns, is_of_library                                               ? kSome
                                        : is_sampled                                                ? kMost
                                        : for_program || is_of_python || computes || !fetch.empty() ? kHalf
                                                                                                    : kSome);
  if (for_program && for_program->is_start) finding.claim = {};
  // Without data to work on, a program may also sleep, or wait for a person or a service.
  if (!is_known && !for_program && 2 * work_ns < total_ns) {
    finding.title =
        fmt::format("No job runs for {} of the time: whether the driver program computes or waits is unknown", share);
    finding.evidence += "; the jobs before returned next to no data to work on";
    finding.change =
        "Profile the job with `sparkprof run` to see the lines of the driver, and whether it computes, sleeps or waits "
        "for a person or a service";
    // Waits of equal length are caused by a program, not by a person.
    finding.claim = AreOfEqualLength(gaps) ? ClaimWall(movable_ns, kSome) : Claim();
  }
  // Text logs do not show which jobs belong to one query, between which Spark plans.
  const bool is_of_line = longest.job_before != kNoJob && longest.next_job != kNoJob &&
                          application.jobs[longest.job_before].name == application.jobs[longest.next_job].name;
  if (is_of_line && !is_iterated && HasOnlyLogs(application)) finding.claim.removal = kUnsure;
  // Without a line of the program, a pause of less than a second may be planning.
  if (!is_known && !is_iterated && longest.Duration() < kNanosPerSecond) finding.claim = {};
  if (!is_known && !is_of_library) finding.frames = LinesAround(application, longest);
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

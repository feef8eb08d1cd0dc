// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plans/reader_jobs.h"

#include "analysis/findings/rules.h"
#include "analysis/plans/datasets.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLinesOfReaders = 3;

bool IsListing(const Job& job) { return job.description.starts_with("Listing leaf files and directories"); }

// True if a query reads only the first lines of text files, such as the header of a CSV file.
bool ReadsHeader(const SqlExecution& sql) {
  const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
  const bool writes = std::ranges::any_of(operators, [](const PlanOperator& one) { return IsWrite(one.kind); });
  return !writes && std::ranges::any_of(
                        operators, [](const PlanOperator& one) { return one.plan->name.starts_with("Scan text"); });
}

// True if a query only defines a table or view over files: "create table … using json".
bool DefinesTable(const SqlExecution& sql) {
  constexpr std::string_view kCommands[] = {"CreateTempViewUsing", "CreateDataSourceTableCommand",
                                            "CreateTableCommand"};
  const std::string_view command = sql.plan.name;
  return std::ranges::any_of(kCommands, [&](std::string_view one) { return command.ends_with(one); });
}

// True if text logs, which have no queries, are the only evidence that the application writes files.
bool WritesInLogs(const Application& application) {
  const std::vector<LogTemplate>& templates = application.logs.templates;
  return application.sql_executions.empty() && std::ranges::any_of(templates, [](const LogTemplate& one) {
           return one.text.starts_with("File Output Committer Algorithm") ||
                  one.text.starts_with("Using output committer");
         });
}

// Readers start such jobs directly; writers have a query.
bool IsSchemaJob(const Application& application, const Job& job) {
  if (IsListing(job)) return false;
  const SqlExecution* const query = ExecutionOf(application, job.sql_execution);
  if (query != nullptr && DefinesTable(*query)) return true;
  const std::string_view method = std::string_view(job.name).substr(0, job.name.find(" at "));
  constexpr std::string_view kReaders[] = {"json", "csv", "xml", "load", "parquet", "orc", "avro", "table"};
  // "select * from json.`data`" infers the schema before its query starts.
  if (method == "sql" && job.sql_execution < 0 && !application.sql_executions.empty()) return true;
  if (!Contains(kReaders, method)) return false;
  // Text logs do not distinguish jobs of readers from those of writers.
  if (job.sql_execution < 0 && method != "load" && WritesInLogs(application)) return false;
  return job.sql_execution < 0 || (query != nullptr && ReadsHeader(*query));
}

template <typename IsOne>
ReaderJobs ReaderJobsWhere(const FindingInput& input, IsOne is_one) {
  const Application& application = input.application;
  std::unordered_map<int64_t, const Job*> jobs;
  std::set<int64_t> counted;
  std::map<std::string_view, int64_t> listings;
  ReaderJobs found;
  for (const Job& job : application.jobs) {
    if (!is_one(application, job)) continue;
    jobs[job.id] = &job;
    if (IsListing(job)) found.repeats = std::max(found.repeats, ++listings[job.description]);
    std::string line = ShortCallSite(job.name);
    const bool is_known = Contains(found.lines, line);
    if (found.lines.size() < kMaxLinesOfReaders && !is_known) found.lines.push_back(std::move(line));
  }
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const StageSummary& summary = input.stages[row];
    if (!jobs.contains(stage.job) || summary.tasks.empty()) continue;
    // The first job waits for executors and loads classes, which the next one would do otherwise.
    const bool is_first = stage.job == application.jobs.front().id;
    if (is_first && summary.Total(TaskMetric::kInputBytes) == 0) continue;
    counted.insert(stage.job);
    found.time_ns += summary.wall_ns;
    found.input_bytes += summary.Total(TaskMetric::kInputBytes);
    found.tasks += static_cast<int64_t>(summary.tasks.size());
    found.stages.push_back(stage.id);
  }
  found.count = static_cast<int64_t>(counted.size());
  return found;
}

constexpr int64_t kManyListings = 3;  // per set of folders

constexpr int64_t kManyUnitedFiles = 20;  // per folder and query

// "file:/data/extracts" for a scan of "file:/data/extracts/day_01.parquet"; empty for other scans.
std::string FolderOf(const PlanOperator& one) {
  const std::optional<Dataset> dataset = DatasetRead(one);
  if (!dataset || dataset->space.empty()) return {};
  const size_t slash = dataset->name.rfind('/');
  return slash == std::string::npos || slash == 0 ? std::string()
                                                  : TextOf({dataset->space, dataset->name.substr(0, slash)});
}

struct UnitedReads {
  std::string folder;
  int64_t count = 0;
};

UnitedReads ReadsOf(const std::vector<PlanOperator>& operators) {
  std::map<std::string, std::set<std::string>> files;
  UnitedReads most;
  const auto is_union = [](const PlanOperator& one) { return one.kind == "Union"; };
  if (std::ranges::none_of(operators, is_union)) return most;
  for (const PlanOperator& one : operators) {
    const std::string folder = FolderOf(one);
    if (folder.empty()) continue;
    files[folder].insert(DatasetRead(one)->name);
    const auto count = static_cast<int64_t>(files[folder].size());
    if (count > most.count) most = {folder, count};
  }
  return most;
}

}  // namespace

bool IsReaderJob(const Application& application, const Job& job) {
  return IsListing(job) || IsSchemaJob(application, job);
}

bool IsOfReaderJob(const Application& application, const Stage& stage) {
  return std::ranges::any_of(application.jobs,
                             [&](const Job& job) { return job.id == stage.job && IsReaderJob(application, job); });
}

ReaderJobs SchemaJobsOf(const FindingInput& input) { return ReaderJobsWhere(input, IsSchemaJob); }

ReaderJobs ListingJobsOf(const FindingInput& input) {
  return ReaderJobsWhere(input, [](const Application&, const Job& job) { return IsListing(job); });
}

std::optional<Finding> FindSchemaInference(const FindingInput& input) {
  const ReaderJobs jobs = SchemaJobsOf(input);
  const double share = Share(jobs.time_ns, input.duration_ns);
  if (jobs.time_ns < kWorthwhileNs || share < kNoticeable) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Finding out the schema of files takes {} of the time", FormatShare(share));
  finding.what =
      fmt::format("Before the queries, {} read files to find out their columns and types", Counted(jobs.count, "job"));
  const bool reads_rows = jobs.input_bytes > 0;
  finding.evidence = fmt::format("these jobs take {} and read {}", FormatDuration(jobs.time_ns),
                                 reads_rows ? FormatBytes(jobs.input_bytes) : "the footers of files");
  finding.condition = fmt::format("Jobs of readers that have no query take at least {} of the duration and at least {}",
                                  FormatShare(kNoticeable), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = jobs.stages;
  finding.frames = jobs.lines;
  finding.change = "Pass the schema to the reader: spark.read.schema(…), or register the files as a table";
  if (jobs.count > 1) finding.change += ". If a loop reads the same files, read them once before it";
  if (reads_rows) finding.change += ". For JSON and CSV, samplingRatio reads fewer rows";
  finding.claim = ClaimStages(input, jobs.stages, jobs.time_ns, kWhole);
  return finding;
}

std::optional<Finding> FindFileListing(const FindingInput& input) {
  const ReaderJobs jobs = ListingJobsOf(input);
  const double share = Share(jobs.time_ns, input.duration_ns);
  if (jobs.time_ns < kWorthwhileNs || share < kNoticeable) return std::nullopt;
  Finding finding;
  const bool is_repeated = jobs.repeats >= kManyListings;
  finding.title = is_repeated ? fmt::format("The same folders are listed {} times, which takes {} of the time",
                                            jobs.repeats, FormatShare(share))
                              : fmt::format("Listing files takes {} of the time", FormatShare(share));
  finding.what = fmt::format("Before the queries, {} list {} of the sources", Counted(jobs.count, "job"),
                             Counted(jobs.tasks, "folder"));
  finding.evidence = fmt::format("these jobs take {}", FormatDuration(jobs.time_ns));
  finding.condition = fmt::format("Jobs that list files take at least {} of the duration and at least {}",
                                  FormatShare(kNoticeable), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = jobs.stages;
  finding.frames = jobs.lines;
  finding.change =
      is_repeated
          ? "Read the source once and use its DataFrame in all queries, cached if each reads most of it. Otherwise use "
          : "Use ";
  finding.change +=
      "a table format that keeps a list of its files (Delta or Iceberg), or a catalog table, whose list Spark keeps "
      "(spark.sql.hive.filesourcePartitionFileCacheSize). Or partition by fewer values, or read only the folders that "
      "the job needs (basePath)";
  finding.claim = is_repeated ? ClaimStages(input, jobs.stages, jobs.time_ns / jobs.repeats * (jobs.repeats - 1), kMost)
                              : ClaimStages(input, jobs.stages, jobs.time_ns, kHalf);
  return finding;
}

std::optional<Finding> FindUnitedFiles(const FindingInput& input) {
  UnitedReads worst;
  Finding finding;
  int64_t queries_ns = 0;
  for (const SqlExecution& sql : input.application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    const UnitedReads reads = ReadsOf(operators);
    if (reads.count < kManyUnitedFiles || sql.end_ns <= sql.start_ns) continue;
    if (reads.count > worst.count) worst = reads;
    queries_ns += sql.end_ns - sql.start_ns;
    std::set<int64_t> stages;
    for (const PlanOperator& one : operators) stages.insert(one.stages.begin(), one.stages.end());
    finding.stages.insert(finding.stages.end(), stages.begin(), stages.end());
  }
  if (worst.count == 0) return std::nullopt;
  const int64_t stages_ns = TimeOfStages(input, finding.stages);
  // Each read has a separate job that infers the columns of its file.
  const ReaderJobs readers = SchemaJobsOf(input);
  const bool has_readers = 2 * readers.count >= worst.count;
  if (has_readers) finding.stages.insert(finding.stages.end(), readers.stages.begin(), readers.stages.end());
  const int64_t time_ns = std::max(queries_ns, stages_ns) + (has_readers ? readers.time_ns : 0);
  if (time_ns < kWorthwhileNs || Share(time_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  finding.title = fmt::format("A query unites {} reads of files in one folder", CountText(worst.count));
  finding.what = fmt::format(
      "Each file of {} is read by a scan of its own, with a branch of the plan and a task or more", worst.folder);
  finding.evidence = fmt::format("the queries take {}", FormatDuration(queries_ns));
  if (has_readers)
    finding.evidence += fmt::format("; {} before them look at the columns of single files, for {}",
                                    Counted(readers.count, "job"), FormatDuration(readers.time_ns));
  finding.condition = fmt::format(
      "A query unites at least {} scans of different files in one folder, and it takes at least {} of the duration",
      kManyUnitedFiles, FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.frames = readers.lines;
  finding.change =
      "Read the folder, or a list of its files, at once: spark.read.parquet(folder) or parquet(*paths), with "
      "mergeSchema if columns differ. Take what the file's name says from _metadata.file_name";
  finding.claim = ClaimStages(input, finding.stages, time_ns, kMost);
  return finding;
}

}  // namespace sparkprof

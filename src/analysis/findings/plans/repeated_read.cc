// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/machines/executor_memory.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLinesOfReads = 3;

struct SourceRead {
  const SqlExecution* sql = nullptr;
  std::set<int64_t> stages;
  int64_t time_ns = 0;
  std::set<std::string> calls;  // expensive functions in the same stages
  std::string derived;          // the operators up to the first that costs more than the scan; empty = none
};

struct ReadSource {
  std::string text;
  std::vector<SourceRead> reads;
  int64_t bytes = 0;  // read by one query
  bool is_columnar = false;
  int64_t saved_ns = 0;
  std::string call;  // common to the queries: "regexp_extract"; empty = unknown
};

// True if rows are cheaper to read from columnar files than to compute.
bool IsCostly(std::string_view kind) {
  return IsExchange(kind) || IsPythonOperator(kind) || kind == "Generate" || kind == "Window" ||
         kind.ends_with("Aggregate") || kind.ends_with("Join");
}

// The rows that a query derives from a scan, up to the first expensive operator; empty if not worth caching. Equal for
// queries that could share them even if each reads different columns and computes different sums: compares filters and
// the first key of an aggregate.
std::string DerivedFrom(const std::vector<PlanOperator>& operators, const PlanOperator& scan) {
  static const re2::RE2 numbers(R"(#\d+L?|\[plan_id=\d+\])");
  const std::string_view read = scan.plan->text;
  std::string derived = fmt::format("{}\n{}", FieldOf(read, "DataFilters: "), FieldOf(read, "snapshotId="));
  bool is_costly = false, is_sorted = false;
  for (int32_t row = scan.parent; row >= 0 && !is_costly;) {
    const PlanOperator& one = operators[static_cast<size_t>(row)];
    row = one.parent;
    is_sorted |= one.kind == "Sort";
    // Spark sorts for an aggregate that does not fit its hash table.
    if (one.kind == "Project" || one.kind == "ColumnarToRow" || one.kind == "Sort") continue;
    std::string_view text = one.plan->text;
    if (one.kind.ends_with("Aggregate")) {
      text.remove_prefix(std::min(text.size(), text.find('[')));  // "keys=[customer#3L, day#4]"
      text = text.substr(0, text.find_first_of(",]"));
      if (text.size() < 2) return {};
    }
    derived += fmt::format("\n{}", text);
    // randomSplit() sorts each partition by all columns before it samples.
    is_costly = IsCostly(one.kind) || (one.kind == "Sample" && is_sorted);
  }
  re2::RE2::GlobalReplace(&derived, numbers, "");
  return is_costly ? derived : std::string();
}

// Columnar files are read as fast as a cache, so only derived rows are worth caching.
bool IsColumnar(const PlanOperator& scan, std::string_view source) {
  for (const std::string_view format : {"parquet", "orc", "Parquet"}) {
    if (source.starts_with(format)) return true;
  }
  for (const std::string_view reader : {"IcebergScan(", "ParquetScan", "OrcScan"}) {
    if (Contains(scan.plan->text, reader)) return true;
  }
  return false;
}

std::map<std::string, ReadSource> SourcesOf(const FindingInput& input) {
  std::unordered_map<int64_t, int64_t> time_of_stage;
  for (size_t row = 0; row < input.stages.size(); ++row)
    time_of_stage[input.application.stages[row].id] += input.stages[row].wall_ns;
  std::map<std::string, ReadSource> sources;
  std::set<std::pair<std::string, int64_t>> known;  // a stage shared by several queries ran once
  for (const SqlExecution& sql : input.application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    for (const PlanOperator& one : operators) {
      std::string name = SourceOf(operators, one);
      if (name.empty() || one.stages.empty() || IsBelowCache(operators, one)) continue;
      ReadSource& source = sources[name];
      SourceRead read{.sql = &sql};
      for (const int64_t stage : one.stages) {
        if (!known.emplace(name, stage).second) continue;
        read.stages.insert(stage);
        read.time_ns += time_of_stage[stage];
        for (const PlanOperator& other : operators) {
          if (std::ranges::binary_search(other.stages, stage)) AddCostlyCalls(other, &read.calls);
        }
      }
      read.derived = DerivedFrom(operators, one);
      if (!read.stages.empty()) source.reads.push_back(std::move(read));
      if (source.text.empty()) source.text = SourceText(one);
      source.is_columnar = IsColumnar(one, source.text);
      source.bytes = std::max(source.bytes, ValueOf(*one.plan, "size of files read").value_or(0));
    }
  }
  return sources;
}

// True if a query between the first and the last of these reads writes their source, so that they see different data.
bool ChangesBetween(const Application& application, const ReadSource& source) {
  const int64_t first_ns = source.reads.front().sql->start_ns, last_ns = source.reads.back().sql->start_ns;
  // "file:/data/sales" in "parquet file:/data/sales", "db.sales" in "BatchScan db.sales[id#0L]", "JDBCRelation(SALES)"
  // in "JDBCRelation(SALES) [numPartitions=1]".
  std::string_view place = Trim(std::string_view(source.text).substr(0, source.text.find('[')));
  place = place.substr(place.rfind(' ') + 1);
  return std::ranges::any_of(application.sql_executions, [&](const auto& sql) {
    if (sql.start_ns <= first_ns || sql.start_ns >= last_ns) return false;
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    return std::ranges::any_of(
        operators, [&](const PlanOperator& one) { return IsWrite(one.kind) && Contains(one.plan->text, place); });
  });
}

// A scan of a database transfers all rows again, whatever the query does with them.
bool IsOfDatabase(const ReadSource& source) { return source.text.starts_with("JDBCRelation("); }

int64_t TimeAfterTheLongest(const std::vector<SourceRead>& reads) {
  int64_t all_ns = 0, longest_ns = 0;
  for (const SourceRead& read : reads) {
    all_ns += read.time_ns;
    longest_ns = std::max(longest_ns, read.time_ns);
  }
  return all_ns - longest_ns;
}

int64_t SavedBy(const std::vector<SourceRead>& reads) {
  std::vector<int64_t> times_ns;
  for (const SourceRead& read : reads) times_ns.push_back(read.time_ns);
  return TimeInCommon(std::move(times_ns));
}

void MergeScansOfQueries(ReadSource* source) {
  std::vector<SourceRead> merged;
  for (SourceRead& read : source->reads) {
    if (merged.empty() || merged.back().sql != read.sql) {
      merged.push_back(std::move(read));
    } else {
      merged.back().stages.merge(read.stages);
      merged.back().time_ns += read.time_ns;
    }
  }
  source->reads = std::move(merged);
}

// The scans after which queries call the same expensive function with the same arguments; nullopt if there are few.
std::optional<ReadSource> ReadsWithCommonCall(const ReadSource& source) {
  std::map<std::string, size_t> counts;
  for (const SourceRead& read : source.reads) {
    for (const std::string& call : read.calls) ++counts[call];
  }
  const auto most = LargestEntry(counts);
  if (most == counts.end() || most->second < kManyQueriesRead) return std::nullopt;
  ReadSource common = source;
  std::erase_if(common.reads, [&](const SourceRead& read) { return !read.calls.contains(most->first); });
  common.call = most->first.substr(0, most->first.find('('));
  return common;
}

// A sort samples its input in separate jobs. Data of parallelize() is not computed, so only other jobs can have
// computed more.
bool SamplesDistributedData(const SharedRdd& rdd, const Stage& stage) {
  return rdd.name == "ParallelCollectionRDD" && stage.name.starts_with("sort");
}

// The scans from which queries derive the same rows, where caching them saves the most; nullopt if there are few.
std::optional<ReadSource> ReadsWithCommonRows(const ReadSource& source) {
  std::map<std::string, ReadSource> derived;
  for (const SourceRead& read : source.reads) {
    if (read.derived.empty()) continue;
    ReadSource& common = derived[read.derived];
    common.text = source.text;
    common.bytes = source.bytes;
    common.is_columnar = source.is_columnar;
    common.reads.push_back(read);
  }
  std::optional<ReadSource> best;
  int64_t most_saved_ns = 0;
  for (auto& [operators, common] : derived) {
    MergeScansOfQueries(&common);
    const int64_t saved_ns = SavedBy(common.reads);
    if (common.reads.size() < kManyQueriesRead || saved_ns <= most_saved_ns) continue;
    most_saved_ns = saved_ns;
    best = std::move(common);
  }
  return best;
}

// An RDD that several jobs compute again. Caching the last common one saves the most.
std::optional<Finding> FindSharedRdd(const FindingInput& input) {
  std::unordered_map<int64_t, size_t> rows;
  for (size_t row = 0; row < input.stages.size(); ++row) rows.try_emplace(input.application.stages[row].id, row);
  const SharedRdd* worst = nullptr;
  std::vector<int64_t> worst_stages;
  int64_t most_saved_ns = 0, all_ns = 0, longest_ns = 0;
  for (const SharedRdd& rdd : input.application.shared_rdds) {
    std::vector<SourceRead> reads;
    std::set<int64_t> jobs;
    std::vector<int64_t> stages;
    for (const int64_t stage : rdd.stages) {
      const auto row = rows.find(stage);
      if (row == rows.end()) continue;
      const Stage& read = input.application.stages[row->second];
      // Libraries cache what their iterations share.
      if (!WorkOf(input, read).library.empty() || SamplesDistributedData(rdd, read)) continue;
      jobs.insert(read.job);
      stages.push_back(stage);
      reads.push_back({.stages = {stage}, .time_ns = input.stages[row->second].wall_ns});
    }
    const int64_t saved_ns = jobs.size() >= kManyQueriesRead ? SavedBy(reads) : 0;
    if (saved_ns == 0 || saved_ns < most_saved_ns) continue;
    most_saved_ns = saved_ns;
    worst = &rdd;
    worst_stages = std::move(stages);
    all_ns = longest_ns = 0;
    for (const SourceRead& read : reads) {
      all_ns += read.time_ns;
      longest_ns = std::max(longest_ns, read.time_ns);
    }
  }
  if (most_saved_ns < kWorthwhileNs || Share(most_saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const auto count = static_cast<int64_t>(worst_stages.size());
  Finding finding;
  finding.title = fmt::format("{} jobs compute the same RDD again, without a cache", CountText(count));
  finding.what = fmt::format("{} stages compute RDD {} ({}), each of them again", CountText(count), worst->id,
                             ShortRddName(worst->name));
  finding.evidence =
      fmt::format("these stages take {} in total, the longest {}", FormatDuration(all_ns), FormatDuration(longest_ns));
  finding.condition = fmt::format(
      "Stages of at least {} jobs compute the same RDD, which is not kept, and what they share takes at least {} of "
      "the duration; not those of libraries",
      kManyQueriesRead, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = std::move(worst_stages);
  finding.change =
      "Keep the RDD that the jobs have in common: cache() or persist(MEMORY_AND_DISK) before the first action, and "
      "unpersist() after the last one";
  finding.claim = ClaimStages(input, finding.stages, most_saved_ns, kHalf);
  return finding;
}

constexpr size_t kFolderLength = 80;

// Start times of reads by file range.
using ReadTimes = std::map<std::string, std::vector<int64_t>>;

ReadTimes ReadTimesOf(const LogRecords& logs) {
  static const re2::RE2 of_query(R"(Reading File path: (.*, range: \d+-\d+), partition values)");
  static const re2::RE2 of_rdd(R"(Input split: (.*:\d+\+\d+))");
  ReadTimes times;
  const auto add = [&](std::string_view begin, const re2::RE2& pattern) {
    ForEachRecord(logs, begin, [&](std::string_view text, int64_t time_ns) {
      std::string range;
      if (re2::RE2::PartialMatch(text, pattern, &range)) times[range].push_back(time_ns);
    });
  };
  add("Reading File path: ", of_query);
  add("Input split: ", of_rdd);
  return times;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return Shorten(slash == std::string::npos ? path : path.substr(0, slash), kFolderLength);
}

}  // namespace

int64_t TimeInCommon(std::vector<int64_t> times_ns) {
  std::sort(times_ns.rbegin(), times_ns.rend());
  int64_t saved_ns = 0;
  for (size_t i = 1; i < times_ns.size(); ++i) saved_ns = std::max(saved_ns, static_cast<int64_t>(i) * times_ns[i]);
  return saved_ns;
}

std::optional<Finding> FindRepeatedReads(const FindingInput& input) {
  // Each batch of a stream reads different rows; FindRepeatedBatches handles them.
  if (!input.application.streaming_queries.empty()) return std::nullopt;
  if (std::optional<Finding> of_rdd = FindSharedRdd(input)) return of_rdd;
  const int64_t memory = StorageMemory(input.application);
  ReadSource worst;
  for (auto& [name, source] : SourcesOf(input)) {
    if (source.reads.size() < kManyQueriesRead || (memory > 0 && source.bytes > memory)) continue;
    if (ChangesBetween(input.application, source)) continue;
    std::optional<ReadSource> with_call = ReadsWithCommonCall(source);
    std::optional<ReadSource> all;
    if (source.is_columnar) {
      all = ReadsWithCommonRows(source);
    } else {
      MergeScansOfQueries(&source);
      all = std::move(source);
    }
    for (ReadSource* one : {with_call ? &*with_call : nullptr, all ? &*all : nullptr}) {
      if (one == nullptr || one->reads.size() < kManyQueriesRead) continue;
      one->saved_ns = IsOfDatabase(*one) ? TimeAfterTheLongest(one->reads) : SavedBy(one->reads);
      if (one->saved_ns > worst.saved_ns) worst = std::move(*one);
    }
  }
  if (worst.saved_ns < kWorthwhileNs || Share(worst.saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  Finding finding;
  const auto count = static_cast<int64_t>(worst.reads.size());
  const bool is_one_query = worst.reads.front().sql == worst.reads.back().sql;
  std::set<const SqlExecution*> queries;
  for (const SourceRead& read : worst.reads) queries.insert(read.sql);
  const std::string readers = CountText(count) + (is_one_query                           ? " parts of a query"
                                                  : queries.size() == worst.reads.size() ? " queries"
                                                                                         : " parts of queries");
  finding.title =
      worst.call.empty()
          ? fmt::format("{} read the same data again, without a cache: {}", readers, worst.text)
          : fmt::format("{} call {}() for the same rows again, without a cache: {}", readers, worst.call, worst.text);
  int64_t longest_ns = 0, all_ns = 0;
  for (const SourceRead& read : worst.reads) {
    all_ns += read.time_ns;
    longest_ns = std::max(longest_ns, read.time_ns);
    finding.stages.insert(finding.stages.end(), read.stages.begin(), read.stages.end());
    const std::string line = ShortCallSite(read.sql->description);
    const bool is_known = Contains(finding.frames, line);
    if (finding.frames.size() < kMaxLinesOfReads && !line.empty() && !is_known) finding.frames.push_back(line);
  }
  finding.what = fmt::format("{} scan {}, and compute again what they derive from it", readers, worst.text);
  finding.evidence = fmt::format("the stages that scan it take {} in total, the longest {} {}", FormatDuration(all_ns),
                                 is_one_query ? "scan" : "query", FormatDuration(longest_ns));
  if (worst.bytes > 0) finding.evidence += fmt::format("; one scan reads up to {}", FormatBytes(worst.bytes));
  finding.condition = fmt::format(
      "At least {} queries, or scans of one query that call the same costly function, read the same source with the "
      "same partition filters, which is not larger than the memory for storage, and what they have in common takes at "
      "least {} of the duration; of columnar files only if the queries derive the same rows from them",
      kManyQueriesRead, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      is_one_query
          ? "Spark computes a view or a WITH clause again for each reference: CACHE TABLE or persist() what the parts "
            "have in common, or aggregate all of them in one pass (GROUPING SETS, CASE WHEN in the aggregates)"
          : "Keep what the queries have in common: cache() or persist() the DataFrame before its first action, and "
            "unpersist() it after the last one. If it is too large, write it once as Parquet and read that";
  // A reader that infers the schema of an RDD of the program, read.json(rdd).
  const ReaderJobs inference = SchemaJobsOf(input);
  if (worst.text.starts_with("ExistingRDD") && inference.count > 0 && IsPythonProgram(input.application)) {
    finding.title +=
        fmt::format(", whose rows come from Python; {} more for the schema", Counted(inference.count, "job"));
    finding.evidence += fmt::format("; inferring the schema {}", FormatDuration(inference.time_ns));
    finding.change =
        "Parse the texts in place: from_json() or from_csv() of the column with a schema, instead of a reader on an "
        "RDD of strings, for which all rows pass through Python once for the schema and again for each query. Then "
        "cache() the parsed columns if several queries need them";
    finding.stages.insert(finding.stages.end(), inference.stages.begin(), inference.stages.end());
    worst.saved_ns += inference.time_ns;
    finding.level = RuleLevel::kCause;
  }
  finding.claim = ClaimStages(input, finding.stages, worst.saved_ns, kHalf);
  if (!worst.call.empty()) finding.level = RuleLevel::kCause;
  return finding;
}

std::optional<Finding> FindReadsInLogs(const FindingInput& input) {
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  std::map<std::string, int64_t> files;  // ranges that are read repeatedly, by folder
  std::vector<int64_t> times_ns;
  size_t most_reads = 0;
  for (const auto& [range, times] : ReadTimesOf(input.application.logs)) {
    if (times.size() < kManyQueriesRead) continue;
    ++files[FolderOf(range)];
    times_ns.insert(times_ns.end(), times.begin(), times.end());
    most_reads = std::max(most_reads, times.size());
  }
  if (files.empty()) return std::nullopt;
  std::unordered_map<int64_t, int64_t> time_of_stage;
  for (size_t row = 0; row < input.stages.size(); ++row)
    time_of_stage[input.application.stages[row].id] += input.stages[row].wall_ns;
  Finding finding;
  finding.stages = StagesAt(input.application, std::move(times_ns));
  std::vector<int64_t> of_stages;
  for (const int64_t stage : finding.stages) of_stages.push_back(time_of_stage[stage]);
  std::sort(of_stages.rbegin(), of_stages.rend());
  // At a resolution of one second, the times also match a stage that ends while the next one begins to read.
  if (of_stages.size() > most_reads) of_stages.resize(most_reads);
  int64_t all_ns = 0;
  for (const int64_t time_ns : of_stages) all_ns += time_ns;
  const int64_t common_ns = TimeInCommon(of_stages);
  if (common_ns < kWorthwhileNs || Share(common_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const auto most = LargestEntry(files);
  finding.title = fmt::format("Tasks read the same files {} times, without a cache: {}", most_reads, most->first);
  finding.what = fmt::format("By their logs, tasks read {} of files in {} up to {} times",
                             Counted(most->second, "part"), most->first, most_reads);
  finding.evidence = fmt::format("the stages that read them take {} in total, the longest {}", FormatDuration(all_ns),
                                 FormatDuration(of_stages.front()));
  finding.condition = fmt::format(
      "By text logs alone, tasks read the same part of a file at least {} times, and what the stages that do have in "
      "common takes at least {} of the duration",
      kManyQueriesRead, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Keep what the queries have in common: cache() or persist() the data before the first action, and unpersist() it "
      "after the last one. If it is too large, write it once as Parquet and read that";
  const bool is_stream = !input.application.streaming_batches.empty();
  const bool saves = !is_stream || HasBusyStream(input.application);
  finding.claim = ClaimStages(input, finding.stages, common_ns, saves ? kHalf : kNothing);
  return finding;
}

}  // namespace sparkprof

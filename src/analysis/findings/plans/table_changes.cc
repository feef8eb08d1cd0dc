// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/plans/datasets.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyDeleteFiles = 50;
constexpr double kMuchScanPlanning = 0.3;  // share of the stages that read the table
constexpr int64_t kNsPerMilli = 1'000'000;

// Names of Iceberg's metrics.
int64_t DeleteFilesOf(const PlanNode& scan) { return ValueOf(scan, "number of result delete files").value_or(0); }
int64_t PlanningOf(const PlanNode& scan) {
  return ValueOf(scan, "total planning duration (ms)").value_or(0) * kNsPerMilli;
}

int64_t ManyDeleteFiles(const PlanOperator& one) {
  const int64_t files = DeleteFilesOf(*one.plan);
  return files >= kManyDeleteFiles ? files : 0;
}

int64_t LongPlanning(const PlanOperator& one) {
  const int64_t planning_ns = PlanningOf(*one.plan);
  return planning_ns >= kWorthwhileNs ? planning_ns : 0;
}

// Fewer commands are often the changes of different days.
constexpr size_t kManyCommands = 10;
// One command with all changes takes longer than each of them.
constexpr Removal kUnited{0.3, 0.75, 0.85};

// Commands that change single rows of a table: those of Delta Lake and Hudi, or those of Spark's data sources
// (Iceberg).
bool ChangesRows(const PlanNode& root) {
  static const re2::RE2 command(R"(^Execute (?:Merge|Update|Delete)\w*Command|^WriteDelta|^ReplaceData)");
  return re2::RE2::PartialMatch(root.name, command);
}

bool IsMerge(const SqlExecution& sql) {
  const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
  return Contains(sql.plan.name, "Merge") ||
         std::ranges::any_of(operators, [](const PlanOperator& one) { return one.kind.starts_with("MergeRows"); });
}

// "ice.db.accounts", or "file:/lake/customers" of "Delta[version=3, file:/lake/customers]"; empty if unknown.
std::string TableOf(const SqlExecution& sql) {
  static const re2::RE2 delta(R"(Delta\[version=\d+, ([^\]]+)\])");
  std::string table;
  if (re2::RE2::PartialMatch(sql.plan_text, delta, &table)) return table;
  for (const PlanOperator& one : OperatorsOf(sql.plan)) {
    const std::optional<Dataset> dataset = DatasetWritten(one);
    if (const std::optional<Dataset> used = dataset ? dataset : DatasetRead(one)) return TextOf(*used);
  }
  return table;
}

// The files that a command scans: Iceberg's data and delete files; 0 = unknown.
int64_t FilesRead(const SqlExecution& sql) {
  int64_t files = 0;
  for (const PlanOperator& one : OperatorsOf(sql.plan)) {
    files += ValueOf(*one.plan, "number of result data files").value_or(0) +
             ValueOf(*one.plan, "number of result delete files").value_or(0);
  }
  return files;
}

}  // namespace

std::optional<Finding> FindDeleteFiles(const FindingInput& input) {
  std::optional<PlacedOperator> scan = WorstOperator(input.application, ManyDeleteFiles);
  const bool has_deletes = scan.has_value();
  if (!has_deletes) scan = WorstOperator(input.application, LongPlanning);
  if (!scan) return std::nullopt;
  const int64_t files = DeleteFilesOf(scan->node()), planning_ns = PlanningOf(scan->node());
  const int64_t time_ns = TimeOfStages(input, scan->one.stages);
  if (!has_deletes && Share(planning_ns, time_ns) < kMuchScanPlanning) return std::nullopt;
  Finding finding;
  finding.title = has_deletes
                      ? fmt::format("A scan of an Iceberg table applies {} delete files", CountText(files))
                      : fmt::format("Planning a scan of an Iceberg table takes {}", FormatDuration(planning_ns));
  finding.what = fmt::format("{} reads {}, and {}", OperatorText(*scan),
                             Counted(ValueOf(scan->node(), "number of result data files").value_or(0), "data file"),
                             Counted(files, "delete file"));
  finding.evidence =
      fmt::format("planning the scan takes {}, its stages {}", FormatDuration(planning_ns), FormatDuration(time_ns));
  finding.condition = fmt::format(
      "A scan of an Iceberg table applies at least {} delete files, or its planning takes at least {} and {} of the "
      "time of its stages",
      kManyDeleteFiles, FormatDuration(kWorthwhileNs), FormatShare(kMuchScanPlanning));
  PointAt(*scan, &finding);
  finding.change = has_deletes ? "Rewrite the table's files: rewrite_data_files and rewrite_position_delete_files of "
                                 "Iceberg, after many updates"
                               : "Rewrite the table's metadata: rewrite_manifests and expire_snapshots of Iceberg, and "
                                 "filter by partition columns";
  // Deletes are applied to each row.
  finding.claim = has_deletes ? ClaimStages(input, scan->one.stages, time_ns, kSome) : ClaimWall(planning_ns, kHalf);
  return finding;
}

std::optional<Finding> FindRepeatedChanges(const FindingInput& input) {
  const Application& application = input.application;
  if (!application.streaming_queries.empty()) return std::nullopt;
  std::map<std::string, std::vector<const SqlExecution*>> by_table;
  for (const SqlExecution& sql : application.sql_executions) {
    if (sql.end_ns <= sql.start_ns || !ChangesRows(sql.plan)) continue;
    if (const std::string table = TableOf(sql); !table.empty()) by_table[table].push_back(&sql);
  }
  const auto time_of = [](const std::vector<const SqlExecution*>& commands) {
    int64_t time_ns = 0;
    for (const SqlExecution* const one : commands) time_ns += one->end_ns - one->start_ns;
    return time_ns;
  };
  const auto worst = std::ranges::max_element(
      by_table, [&](const auto& a, const auto& b) { return time_of(a.second) < time_of(b.second); });
  if (worst == by_table.end() || worst->second.size() < kManyCommands) return std::nullopt;
  const auto& [table, commands] = *worst;
  const int64_t time_ns = time_of(commands);
  if (Share(time_ns, input.duration_ns) < kMuchOfCode) return std::nullopt;
  int64_t longest_ns = 0;
  std::set<int64_t> ids;
  for (const SqlExecution* const one : commands) {
    longest_ns = std::max(longest_ns, one->end_ns - one->start_ns);
    ids.insert(one->id);
  }
  Finding finding;
  // Delta Lake runs several queries for each command.
  for (const Stage& stage : application.stages) {
    const SqlExecution* const sql = ExecutionOfStage(application, stage);
    if (sql != nullptr && (ids.contains(sql->id) || ids.contains(sql->root_id))) finding.stages.push_back(stage.id);
  }
  const bool are_merges = std::ranges::all_of(commands, [](const auto* sql) { return IsMerge(*sql); });
  const std::string count =
      fmt::format("{}{} commands", CountText(static_cast<int64_t>(commands.size())), are_merges ? " MERGE" : "");
  finding.title = fmt::format("{} change the same table one after the other, for {} of the time: {}", count,
                              FormatShare(Share(time_ns, input.duration_ns)), table);
  finding.what = fmt::format(
      "The program runs {} on {}, and each of them finds the rows to change, rewrites files and commits", count, table);
  finding.evidence =
      fmt::format("they take {} in total, the longest {}", FormatDuration(time_ns), FormatDuration(longest_ns));
  const int64_t first_files = FilesRead(*commands.front()), last_files = FilesRead(*commands.back());
  if (last_files > first_files)
    finding.evidence +=
        fmt::format("; the first reads {}, the last {}", Counted(first_files, "file"), CountText(last_files));
  finding.condition =
      fmt::format("At least {} commands that change rows of one table take at least {} of the duration; not in streams",
                  kManyCommands, FormatShare(kMuchOfCode));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Put the changes of several commands into one: unite them, keep the newest change of each row, and run one "
      "MERGE, which costs about as much as each of these. Otherwise compact the table every few commands (OPTIMIZE of "
      "Delta Lake, rewrite_data_files of Iceberg)";
  finding.claim = ClaimStages(input, finding.stages, time_ns - longest_ns, kUnited);
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/saturate.h"
#include "base/text/contains.h"
#include "base/text/text.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kCut = "...";

// "/data/orders" for "/data/orders/day=1/hour=2", and for a file in such a folder.
std::string_view WithoutPartitions(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  for (std::string_view rest = path;;) {
    const size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos) return path;
    const std::string_view last = rest.substr(slash + 1);
    const bool is_partition = Contains(last, '=');
    const bool may_be_file = rest.size() == path.size() && Contains(last, '.');
    if (!is_partition && !may_be_file) return path;
    rest = rest.substr(0, std::max<size_t>(slash, 1));
    if (is_partition) path = rest;
  }
}

std::string_view CommonFolder(std::string_view a, std::string_view b) {
  if (a == b) return a;
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const std::string_view common = a.substr(0, static_cast<size_t>(end - a.begin()));
  const bool is_folder = common.size() == a.size() && other != b.end() && *other == '/';
  if (is_folder) return a;
  if (common.size() == b.size() && a[common.size()] == '/') return b;
  return common.substr(0, common.rfind('/'));
}

// The paths in "Location: InMemoryFileIndex(2 paths)[file:/a, file:/b], PartitionFilters: …", up to one that Spark
// truncated.
std::vector<std::string_view> PathsOf(std::string_view text) {
  const size_t location = text.find("Location: ");
  if (location == std::string_view::npos) return {};
  const size_t open = text.find('[', location);
  if (open == std::string_view::npos || text.substr(location, open - location).find(',') != std::string_view::npos) {
    return {};
  }
  std::vector<std::string_view> paths;
  for (std::string_view rest = text.substr(open + 1); !rest.empty();) {
    const size_t end = rest.find_first_of(",]");
    const std::string_view path = Trim(rest.substr(0, end));
    if (Contains(path, kCut)) break;
    if (!path.empty()) paths.push_back(path);
    if (end == std::string_view::npos || rest[end] == ']') break;
    rest.remove_prefix(end + 1);
  }
  return paths;
}

bool IsScan(std::string_view kind) { return kind == "Scan" || kind == "FileScan" || kind == "BatchScan"; }

// Whether it may be a table name instead of a path or options.
bool IsName(std::string_view word) { return word.find_first_of(":/[($@") == std::string_view::npos; }

// Removes the next argument of a command: "file:/w/a" of "file:/w/a, false, Parquet", "[a#1, b#2]" of "[a#1, b#2],
// Parquet".
std::string_view TakeArgument(std::string_view* text) {
  constexpr std::string_view kEnd = ", ", kEndOfList = "], ";
  size_t end = text->find(text->starts_with('[') ? kEndOfList : kEnd);
  if (end != std::string_view::npos && text->starts_with('[')) ++end;
  const std::string_view argument = Trim(text->substr(0, end));
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + kEnd.size());
  return argument;
}

// The common folder of all paths; the first path if they have none.
Dataset DatasetOf(const std::vector<std::string_view>& paths) {
  Dataset first = DatasetAt(paths.front());
  std::string_view common = WithoutPartitions(paths.front());
  for (const std::string_view path : paths) common = CommonFolder(common, WithoutPartitions(path));
  if (!Contains(common, ":/")) return first;
  Dataset of_all = DatasetAt(common);
  return of_all.space == first.space && of_all.name.size() > 1 ? of_all : first;
}

// Whether a command writes rows, unlike "Execute CreateViewCommand".
bool WritesRows(const PlanOperator& one) {
  constexpr std::string_view kWriters[] = {"Insert", "AsSelect", "Save", "Merge"};
  return IsWrite(one.kind) && (one.kind != "Execute" || std::ranges::any_of(kWriters, [&](std::string_view writer) {
                                 return Contains(one.plan->name, writer);
                               }));
}

// The dataset of "file:/w/a, [day=1], false, [hour#2], Parquet, [path=x], Append, `default`.`a`, …". The lists of
// partitions are optional.
Dataset WrittenByInsert(std::string_view arguments) {
  Dataset dataset = DatasetAt(TakeArgument(&arguments));
  std::string_view format;
  do {
    format = TakeArgument(&arguments);
  } while (format.starts_with('[') || format == "true" || format == "false");
  dataset.format = ToLowerAscii(format);
  return dataset;
}

void AddValue(const std::optional<int64_t>& value, std::optional<int64_t>* sum) {
  if (!value) return;
  int64_t total = sum->value_or(0);
  AddSaturated(*value, &total);
  *sum = total;
}

// Uses by location, or by table if no plan has its location.
class Uses {
 public:
  DatasetUse& Of(const Dataset& dataset) {
    // A table without its location is the same as the table with it.
    const auto place = dataset.space.empty() ? place_of_table_.find(dataset.table) : place_of_table_.end();
    const auto key = place == place_of_table_.end() ? std::pair(dataset.space, dataset.name) : place->second;
    DatasetUse& use = uses_[key];
    if (use.dataset.name.empty()) use.dataset = dataset;
    if (use.dataset.table.empty()) use.dataset.table = dataset.table;
    // Spark reads CSV and JSON as text to infer the schema, before reading them as such.
    const bool is_guess = use.dataset.format.empty() || use.dataset.format == "text";
    if (is_guess && !dataset.format.empty()) use.dataset.format = dataset.format;
    return use;
  }
  void Locate(const Dataset& dataset) {
    if (!dataset.space.empty() && !dataset.table.empty())
      place_of_table_.try_emplace(dataset.table, dataset.space, dataset.name);
  }
  std::vector<DatasetUse> Take() {
    std::vector<DatasetUse> uses;
    for (auto& [key, use] : uses_) uses.push_back(std::move(use));
    return uses;
  }

 private:
  std::map<std::pair<std::string, std::string>, DatasetUse> uses_;
  std::map<std::string, std::pair<std::string, std::string>, std::less<>> place_of_table_;
};

}  // namespace

std::string TextOf(const Dataset& dataset) {
  if (!dataset.table.empty()) return dataset.table;
  if (dataset.space.empty() || dataset.space == "file") return dataset.name;
  return dataset.space + (dataset.name.starts_with('/') ? "" : "/") + dataset.name;
}

Dataset DatasetAt(std::string_view location) {
  const std::string_view path = WithoutPartitions(Trim(location));
  const size_t colon = path.find(":/");
  Dataset dataset;
  if (colon == std::string_view::npos) {
    dataset.space = "file";
    dataset.name = path;
    return dataset;
  }
  std::string_view scheme = path.substr(0, colon), rest = path.substr(colon + 1);
  if (scheme == "file") {
    dataset.space = scheme;
    dataset.name = rest.substr(std::min(rest.size() - 1, rest.find_first_not_of('/') - 1));
    return dataset;
  }
  if (scheme == "s3a" || scheme == "s3n") scheme = "s3";
  constexpr std::string_view kObjectStores[] = {"s3", "gs", "abfss", "abfs", "wasbs", "wasb"};
  const bool has_host = rest.starts_with("//");
  if (has_host) rest.remove_prefix(2);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view host = has_host ? rest.substr(0, slash) : std::string_view();
  if (has_host) rest.remove_prefix(slash);
  const bool is_store = Contains(kObjectStores, scheme);
  if (is_store && rest.starts_with('/')) rest.remove_prefix(1);
  dataset.space = fmt::format("{}://{}", scheme, host);
  dataset.name = rest.empty() ? "/" : rest;
  return dataset;
}

std::optional<Dataset> DatasetRead(const PlanOperator& one) {
  if (!IsScan(one.kind)) return std::nullopt;
  Dataset dataset;
  const std::vector<std::string_view> paths = PathsOf(one.plan->text);
  if (!paths.empty()) dataset = DatasetOf(paths);
  // Matches "Scan parquet shop.orders", "Scan hive shop.orders", "BatchScan lake.shop.orders", "Scan
  // JDBCRelation(shop.orders)"; not "Scan In-memory table orders", "Scan class org.example.Relation", "Scan ExistingRDD
  // Delta Table State #3".
  const std::string_view name = Trim(one.plan->name);
  const std::vector<std::string_view> words = Split(name, ' ');
  constexpr std::string_view kJdbc = " JDBCRelation(";
  if (const size_t jdbc = name.find(kJdbc); jdbc != std::string_view::npos) {
    const size_t begin = jdbc + kJdbc.size(), end = name.rfind(')');
    if (end != std::string_view::npos && end > begin) dataset.table = name.substr(begin, end - begin);
    dataset.format = "jdbc";
  } else if (words.size() == 2 && IsName(words[1]) && Contains(words[1], '.')) {
    dataset.table = words[1];
  } else if (words.size() == 2 || words.size() == 3) {
    const bool is_class = words[1] == "class";
    if (words.size() == 3 && IsName(words[2]) && !is_class) dataset.table = words[2];
    if (!is_class) dataset.format = words[1];
  }
  if (dataset.name.empty()) dataset.name = dataset.table;
  if (dataset.name.empty()) return std::nullopt;
  return dataset;
}

std::optional<Dataset> DatasetWritten(const PlanOperator& one) {
  if (!WritesRows(one)) return std::nullopt;
  Dataset dataset;
  std::string_view text = one.plan->text;
  constexpr std::string_view kInsert = "InsertIntoHadoopFsRelationCommand ", kPath = "path -> ", kTable = "(table=";
  if (const size_t insert = text.find(kInsert); insert != std::string_view::npos) {
    dataset = WrittenByInsert(text.substr(insert + kInsert.size()));
    dataset.table = TableNameIn(text);
  } else if (const size_t path = text.find(kPath); path != std::string_view::npos) {  // Delta Lake and others
    text.remove_prefix(path + kPath.size());
    dataset = DatasetAt(text.substr(0, text.find_first_of(",)")));
  } else if (const size_t table = text.find(kTable); table != std::string_view::npos) {  // Iceberg
    text.remove_prefix(table + kTable.size());
    dataset.table = text.substr(0, text.find_first_of(",)"));
  } else {
    dataset.table = TableNameIn(text);
  }
  if (dataset.name.empty()) dataset.name = dataset.table;
  if (dataset.name.empty() || Contains(dataset.name, kCut)) return std::nullopt;
  return dataset;
}

std::vector<DatasetUse> DatasetsOf(const Application& application) {
  std::unordered_map<int64_t, std::set<int64_t>> stages_of_query;
  for (const Stage& stage : application.stages) stages_of_query[stage.sql_execution].insert(stage.id);
  std::vector<std::vector<PlanOperator>> plans;
  Uses uses;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const PlanOperator& one : plans.emplace_back(OperatorsOf(sql.plan))) {
      if (const auto read = DatasetRead(one)) uses.Locate(*read);
      if (const auto written = DatasetWritten(one)) uses.Locate(*written);
    }
  }
  std::unordered_set<int64_t> counted;  // accumulators: a DataFrame that runs again keeps its accumulators
  for (size_t row = 0; row < plans.size(); ++row) {
    const SqlExecution& sql = application.sql_executions[row];
    const std::set<int64_t>& stages = stages_of_query[sql.id];
    for (const PlanOperator& one : plans[row]) {
      const std::vector<PlanMetric>& metrics = one.plan->metrics;
      const auto is_own = [&](int64_t stage) { return stages.contains(stage); };
      // The plan of a query that reads a cache includes the scans that filled it.
      const auto read = DatasetRead(one);
      if (read && std::ranges::any_of(one.stages, is_own)) {
        DatasetUse& use = uses.Of(*read);
        use.read_by.insert(sql.id);
        std::ranges::copy_if(one.stages, std::inserter(use.read_stages, use.read_stages.end()), is_own);
        if (!metrics.empty() && counted.insert(metrics.front().accumulator).second) {
          AddValue(one.rows_out, &use.rows_read);
          AddValue(ValueOf(*one.plan, "size of files read"), &use.bytes_read);
          AddValue(ValueOf(*one.plan, "number of files read"), &use.files_read);
        }
      }
      // A command that wraps the working one has no job.
      if (const auto written = DatasetWritten(one); written && !sql.jobs.empty()) {
        DatasetUse& use = uses.Of(*written);
        use.written_by.insert(sql.id);
        use.write_stages.insert(stages.begin(), stages.end());
        AddValue(ValueOf(*one.plan, "number of output rows"), &use.rows_written);
        AddValue(ValueOf(*one.plan, "written output"), &use.bytes_written);
        AddValue(ValueOf(*one.plan, "number of written files"), &use.files_written);
      }
    }
  }
  return uses.Take();
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "catalogue/duckdb/duckdb_scratch.h"
#include "fleet/fleet_schema.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStateFolder = "_sparkprof";
constexpr std::string_view kManifest = "_sparkprof/manifest.jsonl";
constexpr std::string_view kBatchFolder = "_sparkprof/batch";
constexpr std::string_view kLock = "_sparkprof/lock";
constexpr std::string_view kNoRows = "no-rows.parquet";
constexpr std::string_view kOptions = "(FORMAT parquet, COMPRESSION zstd";

// A log keeps its identity when Spark renames it at its end.
std::string KeyOf(std::string_view source) {
  constexpr std::string_view kInProgress = ".inprogress";
  if (source.ends_with(kInProgress)) source.remove_suffix(kInProgress.size());
  return std::string(source);
}

Result<ScratchDatabase> OpenScratch(const std::string& temporary) {
  Result<ScratchDatabase> database = ScratchDatabase::Open();
  if (!database) return database;
  // One thread, because the others read logs.
  const Result<void> set =
      database->Run({"SET threads = 1", "SET memory_limit = '1GB'", "SET preserve_insertion_order = false",
                     fmt::format("SET temp_directory = {}", QuotedText(temporary))});
  if (!set) return tl::unexpected(set.error());
  return database;
}

const char* SqlTypeOfColumn(ParquetType type) {
  constexpr const char* kTypes[] = {"VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "BIGINT"};
  return kTypes[static_cast<size_t>(type)];
}

// The columns of a table as in JSON, and as in its files.
struct TableSql {
  std::string types, selected;
};

TableSql SqlOf(const FleetTable& table) {
  TableSql sql;
  for (const FleetColumn& one : table.columns) {
    const ParquetColumn& column = one.column;
    const char* const comma = sql.types.empty() ? "" : ", ";
    sql.types += fmt::format("{}\"{}\": '{}'", comma, column.name, SqlTypeOfColumn(column.type));
    sql.selected += column.type == ParquetType::kTimeMillis
                        ? fmt::format("{}make_timestamp(\"{}\" * 1000) AS \"{}\"", comma, column.name, column.name)
                        : fmt::format("{}\"{}\"", comma, column.name);
  }
  return sql;
}

std::string QuotedList(const std::set<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + QuotedText(text);
  return list;
}

Result<void> MakeFolders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Fail(fmt::format("{}: cannot create the folder: {}", path, error.message()));
  return {};
}

std::string_view TextOf(const simdjson::dom::element& object, std::string_view key) {
  std::string_view text;
  return object[key].get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

bool IsTrue(const simdjson::dom::element& object, std::string_view key) {
  bool value = false;
  return object[key].get_bool().get(value) == simdjson::SUCCESS && value;
}

}  // namespace

Result<FleetStore> FleetStore::Open(const std::string& folder, FleetLayout layout) {
  // Checks for libduckdb now, not after hours of reading.
  if (const Result<const DuckdbLibrary*> library = LoadDuckdb(); !library) return tl::unexpected(library.error());
  std::error_code error;
  const bool is_new = !fs::exists(folder + "/" + std::string(kStateFolder), error);
  if (is_new && fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return Fail(fmt::format("{}: not empty, and not the output of sparkprof fleet analyze; use a new folder", folder));
  }
  if (Result<void> made = CreateFolders(folder + "/" + std::string(kStateFolder)); !made)
    return tl::unexpected(made.error());
  const std::string lock_path = folder + "/" + std::string(kLock);
  FileDescriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, SharedFileMode()));
  if (!lock.IsOpen()) return tl::unexpected(SystemError(lock_path, "cannot open"));
  if (flock(lock.Get(), LOCK_EX | LOCK_NB) != 0)
    return Fail(fmt::format("{}: another sparkprof fleet analyze writes it; wait until it has ended", folder));
  FleetStore store(folder, layout, std::move(lock));
  if (Result<void> read = store.ReadManifest(); !read) return tl::unexpected(read.error());
  if (Result<void> removed = store.RemoveRemains(); !removed) return tl::unexpected(removed.error());
  return store;
}

void FleetStore::ApplyCommit(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  int64_t batch = 0;
  if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) return;
  if (root["batch"].get_int64().get(batch) != simdjson::SUCCESS) return;
  last_batch_ = std::max(last_batch_, batch);
  for (const simdjson::dom::element part : root["add"]) {
    Part added{std::string(TextOf(part, "path")), std::string(TextOf(part, "table")),
               std::string(TextOf(part, "date"))};
    if (part["batch"].get_int64().get(added.batch) == simdjson::SUCCESS) parts_[added.path] = added;
  }
  for (const simdjson::dom::element removed : root["remove"]) {
    std::string_view path;
    if (removed.get_string().get(path) == simdjson::SUCCESS) parts_.erase(std::string(path));
  }
  for (const simdjson::dom::element log : root["logs"]) {
    Known known{
        {std::string(TextOf(log, "source")), std::string(TextOf(log, "version")), std::string(TextOf(log, "filter"))}};
    known.log.try_again = IsTrue(log, "tryAgain");
    known.batch = IsTrue(log, "rows") ? batch : 0;
    known_[KeyOf(known.log.source)] = std::move(known);
  }
}

Result<void> FleetStore::ReadManifest() {
  const std::string path = Path(kManifest);
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  // The process was killed while writing a line without an end.
  const size_t whole = text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1;
  std::string_view lines = std::string_view(*text).substr(0, whole);
  while (!lines.empty()) ApplyCommit(TakeLine(&lines));
  return whole == text->size() ? Result<void>() : WriteFile(path, std::string_view(*text).substr(0, whole));
}

Result<void> FleetStore::RemoveRemains() {
  std::error_code error;
  fs::remove_all(Path(kBatchFolder), error);
  for (const FleetTable& table : FleetTables()) {
    const std::string folder = Path(table.name);
    if (!fs::exists(folder, error)) continue;
    std::vector<std::string> remains;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
      if (!entry.is_regular_file() || entry.path().filename() == kNoRows) continue;
      const std::string below = entry.path().string().substr(folder_.size() + 1);
      if (!parts_.contains(below)) remains.push_back(entry.path().string());
    }
    for (const std::string& path : remains) {
      if (!fs::remove(path, error) && error) return Fail(fmt::format("{}: cannot remove: {}", path, error.message()));
    }
  }
  return {};
}

bool FleetStore::IsUnchanged(const std::string& source, const std::string& version, const std::string& filter) const {
  const auto found = known_.find(KeyOf(source));
  if (found == known_.end() || found->second.log.version != version || found->second.log.try_again) return false;
  return found->second.log.filter.empty() || found->second.log.filter == filter;
}

Result<void> FleetStore::Add(KnownLog log, std::string_view lines) {
  if (pending_.empty()) {
    if (Result<void> made = MakeFolders(Path(kBatchFolder)); !made) return made;
  }
  if (!lines.empty()) pending_with_rows_.insert(log.source);
  pending_bytes_ += lines.size();
  std::map<std::string_view, std::string> by_table;
  while (!lines.empty()) {
    const std::string_view line = TakeLine(&lines);
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || FindFleetTable(line.substr(0, tab)) == nullptr)
      return Fail(fmt::format("unexpected answer of the engine: {}", Shorten(line, 100)));
    std::string& rows = by_table[line.substr(0, tab)];
    rows += line.substr(tab + 1);
    rows += '\n';
  }
  for (const auto& [table, rows] : by_table) {
    const std::string path = Path(fmt::format("{}/{}.jsonl", kBatchFolder, table));
    const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, SharedFileMode()));
    if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
    if (Result<void> written = WriteAll(file.Get(), rows, path); !written) return written;
    pending_tables_.emplace(table);
  }
  pending_.push_back(std::move(log));
  return {};
}

FleetStore::Part FleetStore::NewPart(const std::string& table, const std::string& date, int64_t batch) const {
  // A file with the remaining rows of an older batch has the numbers of both.
  const std::string number =
      batch == last_batch_ ? fmt::format("{:06}", batch) : fmt::format("{:06}-{:06}", batch, last_batch_);
  const std::string name = layout_ == FleetLayout::kFlat ? fmt::format("{}-{}.parquet", date, number)
                                                         : fmt::format("date={}/{}.parquet", date, number);
  return {table + "/" + name, table, date, batch};
}

Result<void> FleetStore::WriteParts(std::vector<Part>* added) {
  Result<ScratchDatabase> database = OpenScratch(Path(kBatchFolder));
  if (!database) return tl::unexpected(database.error());
  std::error_code error;
  for (const std::string& table : pending_tables_) {
    const std::string rows = Path(fmt::format("{}/{}.jsonl", kBatchFolder, table));
    const std::string staged = Path(fmt::format("{}/{}", kBatchFolder, table));
    const TableSql sql = SqlOf(*FindFleetTable(table));
    if (Result<void> copied = database->Run({fmt::format(
            "COPY (SELECT {}, date FROM read_json({}, format = 'newline_delimited', maximum_object_size = 67108864, "
            "columns = {{{}, date: 'VARCHAR'}})) TO {} {}, PARTITION_BY (date))",
            sql.selected, QuotedPath(rows), sql.types, QuotedText(staged), kOptions)});
        !copied) {
      return copied;
    }
    for (const fs::directory_entry& folder : fs::directory_iterator(staged, error)) {
      const std::string name = folder.path().filename().string();
      const std::string date = name.substr(name.find('=') + 1);
      for (const fs::directory_entry& file : fs::directory_iterator(folder.path(), error)) {
        Part part = NewPart(table, date, last_batch_);
        if (Result<void> made = MakeFolders(fs::path(Path(part.path)).parent_path().string()); !made) return made;
        fs::rename(file.path(), Path(part.path), error);
        if (error) return Fail(fmt::format("{}: cannot rename: {}", file.path().string(), error.message()));
        added->push_back(std::move(part));
      }
    }
    if (error) return Fail(fmt::format("{}: cannot list: {}", staged, error.message()));
  }
  return {};
}

Result<void> FleetStore::ReplaceRows(std::vector<Part>* added, std::vector<std::string>* removed) {
  std::map<int64_t, std::set<std::string>> replaced;  // sources by the batch that has their rows
  for (const KnownLog& log : pending_) {
    const auto found = known_.find(KeyOf(log.source));
    if (found != known_.end() && found->second.batch > 0)
      replaced[found->second.batch].insert(found->second.log.source);
  }
  if (replaced.empty()) return {};
  Result<ScratchDatabase> database = OpenScratch(Path(kBatchFolder));
  if (!database) return tl::unexpected(database.error());
  for (const auto& [path, part] : parts_) {
    const auto sources = replaced.find(part.batch);
    if (sources == replaced.end()) continue;
    const std::string list = QuotedList(sources->second), file = QuotedPath(Path(path));
    const std::string from = fmt::format("FROM read_parquet({}, hive_partitioning = false) WHERE source", file);
    const Result<std::vector<std::string>> found =
        database->Texts(fmt::format("SELECT count(*)::VARCHAR {} IN ({})", from, list));
    if (!found) return tl::unexpected(found.error());
    if (found->front() == "0") continue;
    Part rest = NewPart(part.table, part.date, part.batch);
    const Result<void> copied = database->Run(
        {fmt::format("COPY (SELECT * {} NOT IN ({})) TO {} {})", from, list, QuotedText(Path(rest.path)), kOptions)});
    if (!copied) return copied;
    added->push_back(std::move(rest));
    removed->push_back(path);
  }
  return {};
}

Result<void> FleetStore::AppendCommit(const std::vector<Part>& added, const std::vector<std::string>& removed) {
  JsonWriter json;
  json.BeginObject().Member("batch", last_batch_).Key("add").BeginArray();
  for (const Part& part : added) {
    json.BeginObject().Member("path", part.path).Member("table", part.table).Member("date", part.date);
    json.Member("batch", part.batch).EndObject();
  }
  json.EndArray().Member("remove", removed).Key("logs").BeginArray();
  for (const KnownLog& log : pending_) {
    json.BeginObject().Member("source", log.source).Member("version", log.version).Member("filter", log.filter);
    json.Member("tryAgain", log.try_again).Member("rows", pending_with_rows_.contains(log.source)).EndObject();
  }
  const std::string line = json.EndArray().EndObject().Take() + "\n";
  const std::string path = Path(kManifest);
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  if (Result<void> written = WriteAll(file.Get(), line, path); !written) return written;
  if (fsync(file.Get()) != 0) return tl::unexpected(SystemError(path, "cannot write"));
  ApplyCommit(line);
  return {};
}

Result<void> FleetStore::Commit() {
  if (pending_.empty()) return {};
  ++last_batch_;
  std::vector<Part> added;
  std::vector<std::string> removed;
  if (Result<void> written = WriteParts(&added); !written) return written;
  if (Result<void> replaced = ReplaceRows(&added, &removed); !replaced) return replaced;
  if (Result<void> appended = AppendCommit(added, removed); !appended) return appended;
  std::error_code error;  // remaining files are removed at the next start
  for (const std::string& path : removed) fs::remove(Path(path), error);
  fs::remove_all(Path(kBatchFolder), error);
  pending_.clear();
  pending_with_rows_.clear();
  pending_tables_.clear();
  pending_bytes_ = 0;
  last_commit_ns_ = MonotonicNanos();
  return {};
}

Result<void> FleetStore::Finish() {
  if (Result<void> done = Commit(); !done) return done;
  std::optional<ScratchDatabase> database;
  std::error_code error;
  for (const FleetTable& table : FleetTables()) {
    const std::string path = Path(fmt::format("{}/{}", table.name, kNoRows));
    const bool has_rows =
        std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part.second.table == table.name; });
    if (has_rows) {
      // A Hive table has no files outside its partitions.
      fs::remove(path, error);
      continue;
    }
    if (fs::exists(path, error)) continue;
    if (Result<void> made = MakeFolders(Path(table.name)); !made) return made;
    if (!database) {
      Result<ScratchDatabase> opened = OpenScratch(Path(kStateFolder));
      if (!opened) return tl::unexpected(opened.error());
      database.emplace(std::move(*opened));
    }
    std::string columns;
    for (const FleetColumn& column : table.columns) {
      const char* const type =
          column.column.type == ParquetType::kTimeMillis ? "TIMESTAMP" : SqlTypeOfColumn(column.column.type);
      columns += fmt::format("{}NULL::{} AS \"{}\"", columns.empty() ? "" : ", ", type, column.column.name);
    }
    const Result<void> copied =
        database->Run({fmt::format("COPY (SELECT {} LIMIT 0) TO {} {})", columns, QuotedText(path), kOptions)});
    if (!copied) return copied;
  }
  return {};
}

}  // namespace sparkprof

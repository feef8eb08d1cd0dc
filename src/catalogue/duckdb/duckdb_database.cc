// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_database.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text/text.h"

namespace sparkprof {
namespace {

// Increment on any change of the tables below. Catalogues of other versions are rebuilt from recordings, not converted.
constexpr int64_t kVersion = 7;

constexpr const char* kDuckdbTables[] = {
    "CREATE TABLE applications (entry INTEGER NOT NULL, id VARCHAR NOT NULL, attempt VARCHAR NOT NULL, name VARCHAR "
    "NOT "
    "NULL, user_name VARCHAR NOT NULL, group_name VARCHAR NOT NULL, status INTEGER NOT NULL, start_ns BIGINT NOT NULL, "
    "end_ns BIGINT NOT NULL, tasks BIGINT NOT NULL, cpu_ns BIGINT NOT NULL, findings BIGINT NOT NULL, core_ms BIGINT "
    "NOT "
    "NULL, memory_mib_s BIGINT NOT NULL, saving_ns BIGINT NOT NULL, is_node BIGINT NOT NULL, job_version VARCHAR NOT "
    "NULL, spark_version VARCHAR NOT NULL, location VARCHAR NOT NULL, version VARCHAR NOT NULL, viewers VARCHAR NOT "
    "NULL, verdict VARCHAR NOT NULL, top_finding VARCHAR NOT NULL)",
    "CREATE TABLE stages (entry INTEGER NOT NULL, stage BIGINT NOT NULL, attempt BIGINT NOT NULL, name VARCHAR NOT "
    "NULL, "
    "status VARCHAR NOT NULL, start_ns BIGINT NOT NULL, end_ns BIGINT NOT NULL, tasks BIGINT NOT NULL, failed_tasks "
    "BIGINT NOT NULL, run_ns BIGINT NOT NULL, cpu_ns BIGINT NOT NULL)",
    "CREATE TABLE executors (entry INTEGER NOT NULL, id VARCHAR NOT NULL, host VARCHAR NOT NULL, cores BIGINT NOT "
    "NULL, "
    "add_ns BIGINT NOT NULL, remove_ns BIGINT NOT NULL)",
    "CREATE TABLE findings (entry INTEGER NOT NULL, rule VARCHAR NOT NULL, severity VARCHAR NOT NULL, title VARCHAR "
    "NOT "
    "NULL, gain_ns BIGINT NOT NULL)",
    "CREATE TABLE maxima (entry INTEGER NOT NULL, series VARCHAR NOT NULL, hour BIGINT NOT NULL, value DOUBLE NOT "
    "NULL)",
    "CREATE TABLE totals (entry INTEGER NOT NULL, group_id INTEGER NOT NULL, hour INTEGER NOT NULL, event INTEGER NOT "
    "NULL, stack INTEGER NOT NULL, weight BIGINT NOT NULL, count BIGINT NOT NULL)",
    // Append-only dictionaries of `totals`. Their numbers are rows of StackDictionary.
    "CREATE TABLE groups (number INTEGER NOT NULL, name VARCHAR NOT NULL)",
    "CREATE TABLE events (number INTEGER NOT NULL, name VARCHAR NOT NULL, unit VARCHAR NOT NULL)",
    "CREATE TABLE frames (number INTEGER NOT NULL, function VARCHAR NOT NULL, file VARCHAR NOT NULL, kind INTEGER NOT "
    "NULL)",
    "CREATE TABLE stacks (number INTEGER NOT NULL, parent INTEGER NOT NULL, frame INTEGER NOT NULL)",
    "CREATE TABLE catalogue_version (version BIGINT NOT NULL)",
};

// Parses the message, because the C API has no error codes for opening files.
CatalogueProblem ProblemOf(std::string_view message) {
  if (message.find("Could not set lock") != std::string_view::npos) return CatalogueProblem::kInUse;
  for (const char* refusal :
       {"Permission denied", "Read-only file system", "No such file or directory", "Is a directory", "Not a directory",
        "No space left", "Disk quota exceeded", "Too many open files", "Cannot allocate memory", "Out of Memory"}) {
    if (message.find(refusal) != std::string_view::npos) return CatalogueProblem::kNoAccess;
  }
  return CatalogueProblem::kUnusable;
}

}  // namespace

std::string UnusableText(const std::string& error) { return error + " (remove it: it is rebuilt from the recordings)"; }

Result<std::unique_ptr<DuckdbDatabase>> DuckdbDatabase::Open(const std::string& path, const DuckdbOptions& options,
                                                             CatalogueProblem* problem) {
  *problem = CatalogueProblem::kNone;
  const Result<const DuckdbLibrary*> library = LoadDuckdb();
  if (!library) {
    *problem = CatalogueProblem::kNoLibrary;
    return Fail(library.error().message);
  }
  std::unique_ptr<DuckdbDatabase> database(new DuckdbDatabase(**library, path));
  if (const Result<void> opened = database->OpenFile(options, problem); !opened) {
    return Fail(opened.error().message);
  }
  Result<void> ready = database->Connect(options.readers);
  if (ready) ready = database->PrepareTables();
  if (!ready) {
    *problem = ProblemOf(ready.error().message);
    if (*problem != CatalogueProblem::kUnusable) return Fail(ready.error().message);
    return Fail(UnusableText(ready.error().message));
  }
  return database;
}

DuckdbDatabase::~DuckdbDatabase() {
  readers_.clear();
  writer_.reset();
  if (database_ != nullptr) library_.close(&database_);
}

// DuckDB writes the log of "data?/catalogue.duckdb" to "data.wal?/catalogue.duckdb" (StorageManager::GetWALPath of
// 1.4.4). The descriptor's path avoids the "?".
Result<std::string> DuckdbDatabase::NameForDuckdb() {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (folder.string().find('?') == std::string::npos) return path_;
  folder_ = FileDescriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.IsOpen()) return tl::unexpected(SystemError(folder, "cannot open the folder"));
  return fmt::format("/proc/self/fd/{}/{}", folder_.Get(), std::filesystem::path(path_).filename().string());
}

Result<void> DuckdbDatabase::OpenFile(const DuckdbOptions& options, CatalogueProblem* problem) {
  const Result<std::string> file = NameForDuckdb();
  if (!file) {
    *problem = CatalogueProblem::kNoAccess;
    return tl::unexpected(file.error());
  }
  duckdb_config config = nullptr;
  if (library_.create_config(&config) == DuckDBError) return Fail(path_ + ": DuckDB has no memory for its settings");
  const std::pair<const char*, std::string> settings[] = {
      {"memory_limit", fmt::format("{}MiB", std::max<int64_t>(64, options.memory_bytes >> 20))},
      {"threads", std::to_string(std::max(1, options.threads))},
      // Selects the rows of a page by their sort column, and reads the other columns of these rows only.
      {"late_materialization_max_rows", "2000"},
      {"temp_directory", *file + ".tmp"},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
  };
  for (const auto& [name, value] : settings) {
    if (library_.set_config(config, name, value.c_str()) == DuckDBError) {
      library_.destroy_config(&config);
      return Fail(fmt::format("{}: DuckDB rejects the setting {}={} (use DuckDB 1.4.4)", path_, name, value));
    }
  }
  char* message = nullptr;
  const duckdb_state state = library_.open_ext(file->c_str(), &database_, config, &message);
  library_.destroy_config(&config);
  if (state != DuckDBError) return {};
  const std::string why = ToOneLine(message == nullptr ? "unknown error of DuckDB" : message);
  library_.free(message);
  *problem = ProblemOf(why);
  switch (*problem) {
    case CatalogueProblem::kInUse:
      return Fail(
          fmt::format("cannot open the catalogue {}: another process uses it (stop it, or choose another data "
                      "folder): {}",
                      path_, why));
    case CatalogueProblem::kNoAccess:
      return Fail(fmt::format("cannot open the catalogue {}: {}", path_, why));
    default:
      return Fail(UnusableText(fmt::format("catalogue {}: {}", path_, why)));
  }
}

std::unique_ptr<DuckdbConnection> DuckdbDatabase::NewConnection() {
  duckdb_connection connection = nullptr;
  if (library_.connect(database_, &connection) == DuckDBError) return nullptr;
  return std::make_unique<DuckdbConnection>(library_, connection, path_);
}

Result<void> DuckdbDatabase::Connect(int readers) {
  writer_ = NewConnection();
  for (int i = 0; i < std::max(1, readers); ++i) readers_.push_back(NewConnection());
  if (writer_ == nullptr || std::find(readers_.begin(), readers_.end(), nullptr) != readers_.end()) {
    return Fail(path_ + ": DuckDB rejects the connection");
  }
  return {};
}

Result<void> DuckdbDatabase::PrepareTables() {
  int64_t tables = 0;
  bool has_version = false;
  Result<void> read = writer_->Query({"SELECT table_name FROM information_schema.tables"}, [&](const SqlChunk& rows) {
    for (size_t row = 0; row < rows.Size(); ++row) {
      ++tables;
      has_version = has_version || rows.Text(0, row) == "catalogue_version";
    }
  });
  if (!read) return read;
  if (tables == 0) {
    Result<DuckdbTransaction> transaction = DuckdbTransaction::Begin(writer_.get());
    if (!transaction) return Fail(transaction.error().message);
    for (const char* table : kDuckdbTables) {
      if (Result<void> made = writer_->Run({table}); !made) return made;
    }
    if (Result<void> made = writer_->Run({"INSERT INTO catalogue_version VALUES (?)", {kVersion}}); !made) return made;
    return transaction->Commit();
  }
  int64_t version = 0;
  if (has_version) {
    read = writer_->Query({"SELECT version FROM catalogue_version"}, [&](const SqlChunk& rows) {
      for (size_t row = 0; row < rows.Size(); ++row) version = rows.Integer(0, row);
    });
    if (!read) return read;
  }
  if (version == kVersion) return {};
  return tl::unexpected(writer_->ErrorOf(has_version
                                             ? fmt::format("its version is {}, not {}", version, kVersion).c_str()
                                             : "it is not a catalogue of sparkprof"));
}

std::unique_ptr<DuckdbConnection> DuckdbDatabase::TakeReader() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !readers_.empty(); });
  std::unique_ptr<DuckdbConnection> reader = std::move(readers_.back());
  readers_.pop_back();
  return reader;
}

void DuckdbDatabase::ReturnReader(std::unique_ptr<DuckdbConnection> reader) {
  const std::scoped_lock lock(mutex_);
  readers_.push_back(std::move(reader));
  returned_.notify_one();
}

}  // namespace sparkprof

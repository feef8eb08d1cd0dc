// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/json_writer.h"
#include "server/access/audit_log.h"

namespace sparkprof {

// A run of a suite: the columns of RunColumns, and the suite's summary.
struct SuiteRun {
  int64_t id = 0;
  int64_t start_ms = 0;
  std::optional<int64_t> end_ms;
  std::string suite_name, version, user;
  std::string overall_status = "running";
};

// Records the creation or change of `run` in the audit log and applies it (AuditLog::Add).
using RecordRun = std::function<Result<void>(const SuiteRun& run, const Change& change)>;

enum class RunTable { kLog, kProcesses };

// Runs in FOLDER/runs/ID: run.json is replaced as a whole; log.jsonl and processes.jsonl are append-only. Changes are
// durable on return. Thread-safe.
class RunStore {
 public:
  // Reads the existing runs. Fails if the folder cannot be read or created.
  static Result<std::unique_ptr<RunStore>> Open(const std::string& folder);

  // Sets members of `run` from `row`, a line of ParseRunRows.
  static void Apply(const std::string& row, SuiteRun* run);

  // Assigns an ID to `run`. Fails beyond kMaxRuns.
  Result<SuiteRun> Create(SuiteRun run, const RecordRun& record);
  // Applies `row` to the run; `results` (JSON) replaces the summary unless empty. nullopt if the run does not exist.
  Result<std::optional<SuiteRun>> Update(int64_t id, const std::string& row, const std::string& results,
                                         const RecordRun& record);

  std::optional<SuiteRun> Get(int64_t id) const;
  // All runs by start, latest first.
  std::vector<SuiteRun> List() const;
  // The summary as JSON; empty if there is none.
  Result<std::string> ResultsOf(int64_t id) const;

  // The run must exist. Fails if the table would exceed kMaxTableBytes or cannot be written; then nothing is added.
  Result<void> Append(int64_t id, RunTable table, const std::vector<std::string>& lines);
  // The table's file, which exists after the first Append.
  std::string PathOf(int64_t id, RunTable table) const;
  Result<std::vector<std::string>> Read(int64_t id, RunTable table) const;

  // Describes damaged files of runs.
  std::vector<std::string> Problems() const;

  static constexpr size_t kMaxRuns = 100'000;
  static constexpr uint64_t kMaxTableBytes = uint64_t{256} << 20;

 private:
  explicit RunStore(const std::string& folder) : folder_(folder + "/runs") {}
  std::string PathOf(int64_t id, std::string_view name) const;
  Result<void> Write(const SuiteRun& run, const std::string& results) const;
  Result<void> ReadRuns();
  // run.json without its checksum. Fails if it is damaged.
  Result<std::string> ReadRun(int64_t id) const;

  std::string folder_;
  mutable std::mutex mutex_;
  std::map<int64_t, SuiteRun> runs_;
  std::vector<std::string> problems_;
};

// Writes members into an open JSON object.
void WriteRun(const SuiteRun& run, JsonWriter* json);

}  // namespace sparkprof

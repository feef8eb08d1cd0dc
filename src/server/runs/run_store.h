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

#include "base/json_writer.h"
#include "base/result.h"
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

// Records who creates or changes `run`, and makes the change (AuditLog::Add).
using RecordRun = std::function<Result<void>(const SuiteRun& run, const Change& change)>;

enum class RunTable { kLog, kProcesses };

// The store of runs: FOLDER/runs/ID/run.json, replaced whole, and log.jsonl and processes.jsonl, to which lines
// are appended. Durable when a function returns. Thread-safe.
class RunStore {
 public:
  // Reads the runs that are there. Fails if the folder cannot be read or created.
  static Result<std::unique_ptr<RunStore>> Open(const std::string& folder);

  // Sets members of `run` from `row`, a line of ParseRunRows.
  static void Apply(const std::string& row, SuiteRun* run);

  // `run` gets an ID. Fails beyond kMaxRuns.
  Result<SuiteRun> Create(SuiteRun run, const RecordRun& record);
  // Changes the run by `row`; `results`, JSON, replaces the summary unless it is empty. Nothing if there is no such
  // run.
  Result<std::optional<SuiteRun>> Update(int64_t id, const std::string& row, const std::string& results,
                                         const RecordRun& record);

  std::optional<SuiteRun> Get(int64_t id) const;
  // By start, the latest first.
  std::vector<SuiteRun> List() const;
  // The summary, JSON; empty if there is none.
  Result<std::string> ResultsOf(int64_t id) const;

  // The run must exist. Fails when the table would be larger than kMaxTableBytes, or cannot be written; nothing is
  // added then.
  Result<void> Append(int64_t id, RunTable table, const std::vector<std::string>& lines);
  // Its file; there is none before the first Append.
  std::string PathOf(int64_t id, RunTable table) const;
  // Lines without damage.
  Result<std::vector<std::string>> Read(int64_t id, RunTable table) const;

  // Files of runs that are damaged.
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

// The members of an open JSON object.
void WriteRun(const SuiteRun& run, JsonWriter* json);

}  // namespace sparkprof

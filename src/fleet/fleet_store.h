// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "base/time.h"

namespace sparkprof {

// kFlat: OUT/applications/2026-11-25-000001.parquet, a file per day and commit. kHive: the same file as
// OUT/applications/date=2026-11-25/000001.parquet.
enum class FleetLayout : uint8_t { kFlat, kHive };

// A log whose rows are in the store, or that was read and has none.
struct KnownLog {
  std::string source, version;
  std::string filter;      // filter that excluded its applications; empty = none
  bool try_again = false;  // could not be opened
};

// The result of a fleet's analysis: a folder of Parquet files for each table of fleet_schema.h, and a manifest,
// OUT/_sparkprof/manifest.jsonl, with a line per commit. Files missing in the manifest were left by a killed process
// and are removed, so rows exist exactly once. For one process at a time.
class FleetStore {
 public:
  // Creates the folder if it is missing. Fails if it contains other files, or if another process is writing it.
  static Result<FleetStore> Open(const std::string& folder, FleetLayout layout);

  // Whether the log was read in this state, by a run with this filter or without one.
  bool IsUnchanged(const std::string& source, const std::string& version, const std::string& filter) const;

  // Adds rows of a log as returned by ReadFleetLog, without its last line. On commit, they replace those of an earlier
  // state of the log.
  Result<void> Add(KnownLog log, std::string_view lines);
  // Since the last commit.
  size_t PendingLogs() const { return pending_.size(); }
  size_t PendingBytes() const { return pending_bytes_; }
  // Time since the last commit; a large value before the first one.
  int64_t SinceCommitNs() const { return MonotonicNanos() - last_commit_ns_; }

  // Makes everything added so far visible.
  Result<void> Commit();
  // Commits, and writes a file without rows for each empty table, so that every table can be read.
  Result<void> Finish();

 private:
  struct Known {
    KnownLog log;
    int64_t batch = 0;  // batch with its rows; 0 = none
  };
  struct Part {
    std::string path;  // relative to the folder
    std::string table, date;
    int64_t batch = 0;  // batch that added its rows
  };

  FleetStore(std::string folder, FleetLayout layout, FileDescriptor lock)
      : folder_(std::move(folder)), layout_(layout), lock_(std::move(lock)) {}
  std::string Path(std::string_view below) const { return folder_ + "/" + std::string(below); }
  Result<void> ReadManifest();
  void ApplyCommit(std::string_view line);
  Result<void> RemoveRemains();
  Part NewPart(const std::string& table, const std::string& date, int64_t batch) const;
  Result<void> WriteParts(std::vector<Part>* added);
  Result<void> ReplaceRows(std::vector<Part>* added, std::vector<std::string>* removed);
  Result<void> AppendCommit(const std::vector<Part>& added, const std::vector<std::string>& removed);

  std::string folder_;
  FleetLayout layout_;
  FileDescriptor lock_;
  int64_t last_batch_ = 0;
  int64_t last_commit_ns_ = INT64_MIN / 2;
  std::map<std::string, Known> known_;  // by KeyOf(source)
  std::map<std::string, Part> parts_;   // live files, by path
  std::vector<KnownLog> pending_;
  std::set<std::string> pending_with_rows_;  // sources
  std::set<std::string> pending_tables_;
  size_t pending_bytes_ = 0;
};

}  // namespace sparkprof

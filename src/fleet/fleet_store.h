// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/time.h"

namespace sparkprof {

// kFlat: OUT/applications/2026-11-25-000001.parquet, a file for each day and commit. kHive: the same file as
// OUT/applications/date=2026-11-25/000001.parquet.
enum class FleetLayout : uint8_t { kFlat, kHive };

// A log whose rows are in the store, or that was read and has none.
struct KnownLog {
  std::string source, version;
  std::string filter;      // its applications were left out by this filter; empty = they were not
  bool try_again = false;  // could not be opened
};

// The result of a fleet's analysis: a folder of Parquet files for each table of fleet_schema.h, and a manifest beside
// them, OUT/_sparkprof/manifest.jsonl, with a line for each commit. Files that the manifest does not name are remains
// of a process that was killed, and are removed: rows are there once or not at all. One process at a time.
class FleetStore {
 public:
  // Makes the folder if it is missing. Fails if it has other things in it, or if another process writes it.
  static Result<FleetStore> Open(const std::string& folder, FleetLayout layout);

  // Whether the log was read in this state, by a run with this filter or without one.
  bool IsUnchanged(const std::string& source, const std::string& version, const std::string& filter) const;

  // Rows of a log as ReadFleetLog returns them, without its last line. They replace those of an earlier state of the
  // log when they are committed.
  Result<void> Add(KnownLog log, std::string_view lines);
  // Since the last commit.
  size_t PendingLogs() const { return pending_.size(); }
  size_t PendingBytes() const { return pending_bytes_; }
  // Long before the first one.
  int64_t SinceCommitNs() const { return MonotonicNanos() - last_commit_ns_; }

  // Everything added so far becomes visible.
  Result<void> Commit();
  // Commits, and writes a file without rows for each table that has none, so that every table can be read.
  Result<void> Finish();

 private:
  struct Known {
    KnownLog log;
    int64_t batch = 0;  // that has its rows; 0 = it has none
  };
  struct Part {
    std::string path;  // below the folder
    std::string table, date;
    int64_t batch = 0;  // that its rows were added by
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
  std::map<std::string, Part> parts_;   // live ones, by path
  std::vector<KnownLog> pending_;
  std::set<std::string> pending_with_rows_;  // sources
  std::set<std::string> pending_tables_;
  size_t pending_bytes_ = 0;
};

}  // namespace sparkprof

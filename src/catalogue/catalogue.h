// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/selection/application_status.h"
#include "base/result.h"
#include "model/samples/profile.h"
#include "model/viewers.h"

namespace sparkprof {

// Interface to the catalogue of many applications. An entry is derived from one application's recording only, so the
// catalogue can be deleted and rebuilt. Times are ns since the Unix epoch, 0 = unknown.

struct ApplicationKey {
  std::string id;
  std::string attempt;  // empty if there is only one
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the compiler's own 0 for a pointer
  auto operator<=>(const ApplicationKey&) const = default;
};

// Value of a total that was not read or measured: the number of tasks in an event log that was not opened yet, or the
// findings of another tool's profile.
inline constexpr int64_t kUnknownTotal = -1;

struct ApplicationRow {
  ApplicationKey key;
  std::string name;
  std::string user;
  std::string group;  // the setting "label", else the name
  ApplicationStatus status = ApplicationStatus::kRunning;
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // end so far
  int64_t tasks = 0;   // kUnknownTotal if unknown; likewise cpu_ns and findings
  int64_t cpu_ns = 0;
  int64_t findings = 0;
  // Core time and memory time of the executors, each from its start to its end; kUnknownTotal if unknown.
  int64_t core_ms = kUnknownTotal;
  int64_t memory_mib_s = kUnknownTotal;
  int64_t saving_ns = kUnknownTotal;  // largest likely saving of a finding; kUnknownTotal if none is known
  bool is_node = false;               // the recording of a node, not of an application
  std::string job_version;            // the setting "version", else the container image; empty = unknown
  std::string spark_version;          // empty = unknown
  std::string location;               // location of the recording; interpreted by its owner only
  std::string version;                // version of the recording when the entry was made
  std::string viewers;                // result of ViewersOf
  std::string verdict;                // one-line verdict
  std::string top_finding;            // title of the first finding; empty = none

  bool operator==(const ApplicationRow&) const = default;
};

struct StageRow {
  int64_t stage = 0;
  int64_t attempt = 0;
  std::string name;
  std::string status;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t tasks = 0;
  int64_t failed_tasks = 0;
  int64_t run_ns = 0;  // sum of its tasks' run times
  int64_t cpu_ns = 0;

  bool operator==(const StageRow&) const = default;
};

struct ExecutorRow {
  std::string id;
  std::string host;
  int64_t cores = 0;
  int64_t add_ns = 0;
  int64_t remove_ns = 0;

  bool operator==(const ExecutorRow&) const = default;
};

struct FindingRow {
  std::string rule;
  std::string severity;  // "high", "medium", "low"
  std::string title;
  int64_t gain_ns = 0;

  bool operator==(const FindingRow&) const = default;
};

// Maximum of a series in one hour over all processes of an application; for a counter, the maximum rate.
struct SeriesMaximum {
  std::string series;  // "process.rss_bytes"
  int64_t hour_ns = 0;
  double value = 0;

  bool operator==(const SeriesMaximum&) const = default;
};

struct StackTotal {
  int64_t hour_ns = 0;
  EventId event = 0;  // row of CatalogueEntry::stacks.events
  StackId stack = 0;  // row of CatalogueEntry::stacks.stacks
  int64_t weight = 0;
  int64_t count = 0;
};

struct SampledEvent {
  ApplicationKey key;
  std::string event;
  std::string unit;

  bool operator==(const SampledEvent&) const = default;
};

struct CatalogueEntry {
  ApplicationRow application;
  std::vector<StageRow> stages;
  std::vector<ExecutorRow> executors;
  std::vector<FindingRow> findings;
  std::vector<SeriesMaximum> maxima;
  Profile stacks;  // strings, frames, stacks and events of `totals`; without samples
  std::vector<StackTotal> totals;
};

enum class ApplicationOrder : uint8_t {
  kStart,
  kEnd,
  kDuration,
  kTasks,
  kCpu,
  kFindings,
  kSaving,
  kName,
  kUser,
  kGroup,
  kStatus
};

// Selects rows that match all set members.
struct ApplicationQuery {
  std::optional<std::string> id;
  std::string in_location;  // substring of the location; case-sensitive
  std::string search;       // substring of the ID, name, user or group; case-insensitive
  std::optional<std::string> group;
  std::optional<std::string> user;
  std::optional<ApplicationStatus> status;
  std::optional<std::string> finding;  // rule of a finding
  bool without_nodes = false;          // recordings of nodes are no matches
  std::optional<int64_t> from_ns;      // ran in [from, to)
  std::optional<int64_t> to_ns;
  std::optional<Viewer> viewer;  // limits the result to what this viewer may see
  ApplicationOrder order = ApplicationOrder::kStart;
  bool descending = true;
  size_t limit = 100;
  std::string cursor;  // ApplicationPage::next of the previous page
};

struct ApplicationPage {
  std::vector<ApplicationRow> applications;
  std::string next;   // empty = last page
  int64_t total = 0;  // number of matches on all pages
};

struct GroupRow {
  std::string name;
  int64_t applications = 0;
  int64_t running = 0;
  int64_t failed = 0;
  int64_t first_start_ns = 0;
  int64_t last_start_ns = 0;
  int64_t cpu_ns = 0;
  int64_t core_ms = 0;  // sums over applications where both are known
  int64_t memory_mib_s = 0;

  bool operator==(const GroupRow&) const = default;
};

// Part of a group's history: hours that overlap [from, to), optionally of one application only.
struct GroupRange {
  std::string group;
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;
  std::optional<ApplicationKey> application;
  std::optional<Viewer> viewer;  // limits the result to what this viewer may see
};

struct GroupFinding {
  std::string rule;
  std::string severity;  // highest severity of any application
  std::string title;     // title in the latest application
  int64_t applications = 0;
  int64_t last_ns = 0;  // start of the latest application with the finding
  ApplicationKey latest;
  int64_t gain_ns = 0;  // sum over all applications

  bool operator==(const GroupFinding&) const = default;
};

// Text is UTF-8; invalid bytes in stored text and in queries are replaced as in ToUtf8. Thread-safe. Errors mean that
// the storage fails or is damaged; the message names it and the fix.
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  // Whether other servers may write to the same catalogue.
  virtual bool IsShared() const { return false; }

  Result<void> Put(const CatalogueEntry& entry) { return PutAll({&entry, 1}); }
  // Replaces several entries at once, which is faster when a catalogue is rebuilt.
  virtual Result<void> PutAll(std::span<const CatalogueEntry> entries) = 0;
  // Replaces only the row of the list.
  virtual Result<void> PutRow(const ApplicationRow& row) = 0;
  virtual Result<void> Remove(const ApplicationKey& key) = 0;
  // Removes what Put and Remove leave behind of entries made before `before_ns`, Unix nanoseconds. An entry whose rows
  // are just being written must be younger.
  virtual Result<void> RemoveLeftovers(int64_t before_ns) = 0;

  // Sorted by the order, then by key. Rows added or changed between two pages do not shift others. Fails for a cursor
  // of another order; see ParseCursor.
  virtual Result<ApplicationPage> Applications(const ApplicationQuery& query) = 0;
  // The latest attempt if `attempt` is not set; nullopt if the application is unknown.
  virtual Result<std::optional<ApplicationRow>> Find(const std::string& id, std::optional<std::string> attempt) = 0;
  // The events with samples of all applications that match `query`, in any order. Order, limit and cursor have no
  // effect.
  virtual Result<std::vector<SampledEvent>> SampledEvents(const ApplicationQuery& query) = 0;
  // Findings in their original order; empty for an unknown application.
  virtual Result<std::vector<StageRow>> Stages(const ApplicationKey& key) = 0;
  virtual Result<std::vector<ExecutorRow>> Executors(const ApplicationKey& key) = 0;
  virtual Result<std::vector<FindingRow>> Findings(const ApplicationKey& key) = 0;

  // Sorted by name, without recordings of nodes; only of applications that `viewer` may see, if set.
  virtual Result<std::vector<GroupRow>> Groups(const std::optional<Viewer>& viewer) = 0;
  // Findings of applications that ran in the range, sorted by severity, then by number of applications.
  virtual Result<std::vector<GroupFinding>> GroupFindings(const GroupRange& range) = 0;
  // Maxima over all applications, by series and hour.
  virtual Result<std::vector<SeriesMaximum>> GroupMaxima(const GroupRange& range) = 0;
  // One sample per stack. The profile has one event, `event` ("cpu"), even without samples.
  virtual Result<Profile> GroupSamples(const GroupRange& range, const std::string& event) = 0;
};

}  // namespace sparkprof

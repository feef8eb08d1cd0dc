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
#include "model/profile.h"
#include "model/viewers.h"

namespace sparkprof {

// The catalogue answers questions about many applications. An entry is a function of one application's recording, so
// the catalogue can be deleted and rebuilt. Times are ns since the Unix epoch, 0 = unknown.

struct ApplicationKey {
  std::string id;
  std::string attempt;  // empty if there is only one
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the compiler's own 0 for a pointer
  auto operator<=>(const ApplicationKey&) const = default;
};

// A total that nothing was read or measured for: an event log that was not opened yet has no number of tasks, a profile
// of another tool no findings.
inline constexpr int64_t kUnknownTotal = -1;

// One line of the list of applications.
struct ApplicationRow {
  ApplicationKey key;
  std::string name;
  std::string user;
  std::string group;  // the setting "label", or else the name
  ApplicationStatus status = ApplicationStatus::kRunning;
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // so far
  int64_t tasks = 0;   // these three: or kUnknownTotal
  int64_t cpu_ns = 0;
  int64_t findings = 0;
  // Cores and memory of its executors, each from its start to its end; or kUnknownTotal.
  int64_t core_ms = kUnknownTotal;
  int64_t memory_mib_s = kUnknownTotal;
  std::string job_version;    // the setting "version", or else the containers' image; empty = unknown
  std::string spark_version;  // empty = unknown
  std::string location;       // of the recording; only the recordings' owner interprets it
  std::string version;        // of the recording's content when the entry was made
  std::string viewers;        // who may see it, see ViewersOf
  std::string verdict;        // the answer in one line

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

// The largest value of a series in one hour, over all processes of an application. Of a counter, the largest rate.
struct SeriesMaximum {
  std::string series;   // "process.rss_bytes"
  int64_t hour_ns = 0;  // start of the hour
  double value = 0;

  bool operator==(const SeriesMaximum&) const = default;
};

// Samples of one stack in one hour.
struct StackTotal {
  int64_t hour_ns = 0;
  EventId event = 0;  // row of CatalogueEntry::stacks.events
  StackId stack = 0;  // of CatalogueEntry::stacks
  int64_t weight = 0;
  int64_t count = 0;
};

struct CatalogueEntry {
  ApplicationRow application;
  std::vector<StageRow> stages;
  std::vector<ExecutorRow> executors;
  std::vector<FindingRow> findings;
  std::vector<SeriesMaximum> maxima;
  Profile stacks;  // strings, frames, stacks and events of the totals; no samples
  std::vector<StackTotal> totals;
};

enum class ApplicationOrder : uint8_t {
  kStart,
  kEnd,
  kDuration,
  kTasks,
  kCpu,
  kFindings,
  kName,
  kUser,
  kGroup,
  kStatus
};

// All members that are set must match.
struct ApplicationQuery {
  std::optional<std::string> id;
  std::string in_location;  // found in its location, the case matters
  std::string search;       // found in ID, name, user or group, whatever the case
  std::optional<std::string> group;
  std::optional<std::string> user;
  std::optional<ApplicationStatus> status;
  std::optional<std::string> finding;  // a rule
  std::optional<int64_t> from_ns;      // ran in [from, to)
  std::optional<int64_t> to_ns;
  std::optional<Viewer> viewer;  // who may see it
  ApplicationOrder order = ApplicationOrder::kStart;
  bool descending = true;
  size_t limit = 100;
  std::string cursor;  // ApplicationPage::next of the page before
};

struct ApplicationPage {
  std::vector<ApplicationRow> applications;
  std::string next;   // empty: this is the last page
  int64_t total = 0;  // that match, on all pages
};

struct GroupRow {
  std::string name;
  int64_t applications = 0;
  int64_t running = 0;
  int64_t failed = 0;
  int64_t first_start_ns = 0;
  int64_t last_start_ns = 0;
  int64_t cpu_ns = 0;
  int64_t core_ms = 0;  // these two: of the applications where both are known
  int64_t memory_mib_s = 0;

  bool operator==(const GroupRow&) const = default;
};

// A part of a group's history: hours that overlap [from, to), and one application if `application` is set.
struct GroupRange {
  std::string group;
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;
  std::optional<ApplicationKey> application;
  std::optional<Viewer> viewer;  // of what this one may see
};

struct GroupFinding {
  std::string rule;
  std::string severity;  // the highest
  std::string title;     // of the latest
  int64_t applications = 0;
  int64_t last_ns = 0;  // start of the latest application that has it
  ApplicationKey latest;
  int64_t gain_ns = 0;  // sum

  bool operator==(const GroupFinding&) const = default;
};

// Text is UTF-8: bytes that are not are replaced as by ToUtf8, in what is stored and in what is asked for.
// Thread-safe. Errors: the storage fails or is damaged; the message names it and what to do.
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  // Replaces everything about the application, in one transaction.
  Result<void> Put(const CatalogueEntry& entry) { return PutAll({&entry, 1}); }
  // The same for several applications at once, which is faster when a catalogue is rebuilt.
  virtual Result<void> PutAll(std::span<const CatalogueEntry> entries) = 0;
  // Replaces the line in the list only.
  virtual Result<void> PutRow(const ApplicationRow& row) = 0;
  virtual Result<void> Remove(const ApplicationKey& key) = 0;

  // Sorted by the order, then by key. Rows that are added or changed between two pages shift no others. Fails for a
  // cursor of another order; see ParseCursor.
  virtual Result<ApplicationPage> Applications(const ApplicationQuery& query) = 0;
  // The latest attempt if `attempt` is not set. No row: unknown.
  virtual Result<std::optional<ApplicationRow>> Find(const std::string& id, std::optional<std::string> attempt) = 0;
  // Findings in their original order; empty for an unknown application.
  virtual Result<std::vector<StageRow>> Stages(const ApplicationKey& key) = 0;
  virtual Result<std::vector<ExecutorRow>> Executors(const ApplicationKey& key) = 0;
  virtual Result<std::vector<FindingRow>> Findings(const ApplicationKey& key) = 0;

  // By name; of the applications that `viewer` may see, if set.
  virtual Result<std::vector<GroupRow>> Groups(const std::optional<Viewer>& viewer) = 0;
  // Findings of applications that ran in the range; the most severe first, then those of most applications.
  virtual Result<std::vector<GroupFinding>> GroupFindings(const GroupRange& range) = 0;
  // Over all applications, by series and hour.
  virtual Result<std::vector<SeriesMaximum>> GroupMaxima(const GroupRange& range) = 0;
  // One sample for each stack. The profile has one event, `event` ("cpu"), with or without samples.
  virtual Result<Profile> GroupSamples(const GroupRange& range, const std::string& event) = 0;
};

}  // namespace sparkprof

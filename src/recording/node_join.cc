// SPDX-License-Identifier: Apache-2.0
#include "recording/node_join.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "event_log/event_reader.h"
#include "model/application.h"

namespace sparkprof {
namespace {

using ProcessKey = std::tuple<std::string, int64_t, int64_t>;  // boot ID, PID, start ticks

std::string_view WithoutDomain(std::string_view host) {
  return IsHostAddress(host) ? host : host.substr(0, host.find('.'));
}

bool IsNodeApplication(const RecordedApplication& application) {
  return std::all_of(application.sources.begin(), application.sources.end(), IsNode);
}

// The user in Spark's application start event; empty if missing.
std::string UserOf(const Segment& segment) {
  constexpr std::string_view kStart = "\"SparkListenerApplicationStart\"";
  constexpr size_t kNameBytes = 80;
  for (const std::string& event : segment.spark_events) {
    if (std::string_view(event).substr(0, kNameBytes).find(kStart) == std::string_view::npos) continue;
    Application application;
    EventReader(&application).Add(event);
    return application.user;
  }
  return {};
}

// Maps a node's processes to applications, as positions in the vector.
class Owners {
 public:
  explicit Owners(const std::vector<RecordedApplication>& applications) {
    for (size_t i = 0; i < applications.size(); ++i) {
      const RecordedApplication& application = applications[i];
      if (IsNodeApplication(application)) continue;
      int64_t first_ns = 0;
      for (const RecordedSource& source : application.sources) {
        if (first_ns == 0 || source.FirstNanos() < first_ns) first_ns = source.FirstNanos();
        for (const RecordedSegment& segment : source.segments) AddSeen(segment, i);
      }
      users_.resize(applications.size());
      ids_.resize(applications.size());
      ids_[i] = application.id;
      attempts_[application.id][first_ns] = i;
    }
  }

  // -1 = no owner.
  int64_t Of(const std::string& boot_id, const Process& process) const {
    const auto seen = seen_.find({boot_id, process.pid, process.start_ticks});
    if (seen != seen_.end() && MayOwn(seen->second, process)) return static_cast<int64_t>(seen->second);
    const auto named = attempts_.find(process.application_id);
    if (named == attempts_.end()) return -1;
    // The attempt that was running when the process started; a driver starts before its attempt's first reading.
    const auto next = named->second.upper_bound(process.first_seen_ns);
    const size_t attempt = next == named->second.begin() ? next->second : std::prev(next)->second;
    return MayOwn(attempt, process) ? static_cast<int64_t>(attempt) : -1;
  }

 private:
  // A recording can claim any process, so what the node's monitor read is decisive. If the monitor could not read the
  // application, the user must match.
  bool MayOwn(size_t application, const Process& process) const {
    const std::string& user = users_[application];
    const bool is_same_user = !user.empty() && user == process.user;
    if (process.application_id.empty()) return is_same_user;
    return process.application_id == ids_[application] && (is_same_user || user.empty() || process.user.empty());
  }

  void AddSeen(const RecordedSegment& segment, size_t application) {
    const Source& source = segment.GetSource();
    if (users_.size() <= application) users_.resize(application + 1);
    if (segment.HasSparkEvents() && users_[application].empty()) users_[application] = UserOf(*segment.Contents());
    if (source.boot_id.empty()) return;
    seen_[{source.boot_id, source.pid, source.start_ticks}] = application;
    for (const Process& process : segment.Contents()->processes) {
      seen_[{source.boot_id, process.pid, process.start_ticks}] = application;
    }
  }

  std::map<ProcessKey, size_t> seen_;
  std::vector<std::string> users_, ids_;                       // by application; empty user = unknown
  std::map<std::string, std::map<int64_t, size_t>> attempts_;  // by application ID and start time
};

// Creates a source for an application with empty copies of the node's segments.
RecordedSource EmptyCopy(const RecordedSource& source, const RecordedApplication& application) {
  RecordedSource copy;
  copy.application_id = application.id;
  copy.application_attempt = application.attempt;
  copy.whole = true;  // more data may come for the node, but not for the application
  for (const RecordedSegment& segment : source.segments) {
    Segment part;
    part.source = segment.GetSource();
    part.source.sequence = segment.Sequence();
    part.source.application_id = application.id;
    part.source.application_name.clear();
    copy.segments.emplace_back(std::move(part));
  }
  return copy;
}

template <typename Row, typename OwnerOf>
void Move(std::vector<Row> Segment::*rows, size_t segment, const OwnerOf& owner_of, RecordedSource* from,
          std::map<int64_t, RecordedSource>* to) {
  std::vector<Row> kept;
  Segment& contents = from->segments[segment].Edit();
  for (Row& row : contents.*rows) {
    const int64_t owner = owner_of(row);
    (owner < 0 ? kept : to->at(owner).segments[segment].Edit().*rows).push_back(std::move(row));
  }
  contents.*rows = std::move(kept);
}

void JoinSource(const Owners& owners, std::vector<RecordedApplication>* applications, RecordedSource* source) {
  // A process's application may be found some time after its first row.
  std::map<std::pair<int64_t, int64_t>, int64_t> owner_of_process;
  for (const RecordedSegment& segment : source->segments) {
    const std::shared_ptr<const Segment> contents = segment.Contents();
    for (const Process& process : contents->processes) {
      const int64_t owner = owners.Of(contents->source.boot_id, process);
      if (owner >= 0) owner_of_process[{process.pid, process.start_ticks}] = owner;
    }
  }
  if (owner_of_process.empty()) return;
  std::map<int64_t, RecordedSource> parts;
  for (const auto& [process, owner] : owner_of_process) {
    if (parts.contains(owner)) continue;
    const RecordedApplication& application = (*applications)[static_cast<size_t>(owner)];
    parts[owner] = EmptyCopy(*source, application);
    parts[owner].segments.back().Edit().neighbors =
        FindNeighbors(application, *source, [&, own = owner](const Process& other) {
          const auto of_other = owner_of_process.find({other.pid, other.start_ticks});
          return of_other != owner_of_process.end() && of_other->second == own;
        });
  }
  const auto owner_of = [&](const auto& row) {
    const auto owner = owner_of_process.find({row.pid, row.start_ticks});
    return owner == owner_of_process.end() ? int64_t{-1} : owner->second;
  };
  for (size_t segment = 0; segment < source->segments.size(); ++segment) {
    Move(&Segment::processes, segment, owner_of, source, &parts);
    Move(&Segment::series, segment, owner_of, source, &parts);
  }
  for (auto& [owner, part] : parts) (*applications)[static_cast<size_t>(owner)].sources.push_back(std::move(part));
}

}  // namespace

bool IsHostAddress(std::string_view host) { return host.find_first_not_of("0123456789.:") == std::string_view::npos; }

bool IsSameHost(std::string_view a, std::string_view b) { return a == b || WithoutDomain(a) == WithoutDomain(b); }

bool IsNode(const RecordedSource& source) { return source.segments.back().GetSource().role == kNodeRole; }

void JoinNodes(std::vector<RecordedApplication>* applications) {
  std::vector<size_t> nodes;
  for (size_t i = 0; i < applications->size(); ++i) {
    if (IsNodeApplication((*applications)[i])) nodes.push_back(i);
  }
  if (nodes.empty() || nodes.size() == applications->size()) return;
  const Owners owners(*applications);
  for (const size_t node : nodes) {
    for (RecordedSource& source : (*applications)[node].sources) JoinSource(owners, applications, &source);
  }
}

}  // namespace sparkprof

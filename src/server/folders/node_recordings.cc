// SPDX-License-Identifier: Apache-2.0
#include "server/folders/node_recordings.h"

#include <algorithm>
#include <string_view>

#include "base/time.h"
#include "recording/node_join.h"
#include "recording/profile_recording.h"

namespace sparkprof {
namespace {

constexpr std::string_view kNodeStart = "node-";
constexpr size_t kDayDigits = 8;

// Formats a UTC day as "20261123".
std::string DayText(int64_t epoch_ns) {
  std::string day = FormatTimestamp(epoch_ns).substr(0, 10);
  std::erase(day, '-');
  return day;
}

bool IsDayIn(std::string_view day, int64_t begin_ns, int64_t end_ns) {
  return day >= DayText(begin_ns) && day <= DayText(end_ns);
}

// The entries that match a host of the executors, or all if none does.
struct Candidates {
  std::vector<std::string> own, all;

  void Add(const std::string& entry, const std::string& host, const std::vector<std::string>& hosts) {
    all.push_back(entry);
    const bool is_own = std::any_of(hosts.begin(), hosts.end(),
                                    [&](const std::string& of_executor) { return IsSameHost(of_executor, host); });
    if (is_own) own.push_back(entry);
  }
};

void AddFiles(const RecordingDirectory& recordings, const Candidates& candidates, NodeRecordings* nodes) {
  int64_t bytes = 0;
  for (const std::string& id : candidates.own.empty() ? candidates.all : candidates.own) {
    const std::optional<RecordedFiles> found = recordings.Find(id);
    if (!found) continue;
    for (const StoredFile& file : found->files) {
      const bool has_room = bytes + file.size <= kMaxNodeBytes;
      if (has_room) nodes->files.push_back(file);
      if (has_room) bytes += file.size;
      if (!has_room && !candidates.own.empty()) nodes->omitted_bytes += file.size;
    }
  }
}

}  // namespace

std::optional<std::string> HostOfProfile(const std::string& id, int64_t begin_ns, int64_t end_ns) {
  if (!id.starts_with(kHostProfileIdPrefix)) return std::nullopt;
  const std::string_view text = std::string_view(id).substr(kHostProfileIdPrefix.size());
  const size_t host_end = text.find('_'), day_end = text.rfind('-');
  if (host_end == std::string_view::npos || day_end == std::string_view::npos) return std::nullopt;
  if (day_end < host_end + 1 + kDayDigits) return std::nullopt;
  if (!IsDayIn(text.substr(day_end - kDayDigits, kDayDigits), begin_ns, end_ns)) return std::nullopt;
  return std::string(text.substr(0, host_end));
}

std::string HostOfDay(const std::string& id, int64_t begin_ns, int64_t end_ns) {
  const std::string_view text = id;
  const size_t dash = text.rfind('-');
  if (!text.starts_with(kNodeStart) || dash <= kNodeStart.size() || text.size() != dash + 1 + kDayDigits) return {};
  if (!IsDayIn(text.substr(dash + 1), begin_ns, end_ns)) return {};
  return std::string(text.substr(kNodeStart.size(), dash - kNodeStart.size()));
}

NodeRecordings FindNodes(const RecordingDirectory& recordings, const ApplicationEntries& entries,
                         const std::string& entry, const std::vector<Application>& attempts) {
  std::vector<std::string> hosts;
  int64_t begin_ns = 0, end_ns = 0;
  for (const Application& attempt : attempts) {
    if (attempt.is_node || attempt.is_foreign || attempt.start_ns <= 0) continue;
    if (begin_ns == 0 || attempt.start_ns < begin_ns) begin_ns = attempt.start_ns;
    end_ns = std::max({end_ns, attempt.start_ns, attempt.end_ns});
    for (const Executor& executor : attempt.executors) hosts.push_back(executor.host);
  }
  NodeRecordings nodes;
  if (begin_ns == 0) return nodes;
  const std::string tenant = entries.TenantOfEntry(entry);
  const auto may_join = [&](const std::string& id) {
    return entries.TenantOfEntry(id) == tenant && !entries.IsOfUser(id);
  };
  Candidates monitors, profiles;
  for (const std::string& id : recordings.Applications(std::string(kNodeStart))) {
    const std::string host = HostOfDay(entries.ApplicationOf(id), begin_ns, end_ns);
    if (!host.empty() && may_join(id)) monitors.Add(id, host, hosts);
  }
  AddFiles(recordings, monitors, &nodes);
  if (entries.IsEnforced()) return nodes;
  for (const std::string& id : recordings.Applications(std::string(kHostProfileIdPrefix))) {
    const std::optional<std::string> host = HostOfProfile(entries.ApplicationOf(id), begin_ns, end_ns);
    if (host && may_join(id)) profiles.Add(id, *host, hosts);
  }
  AddFiles(recordings, profiles, &nodes);
  return nodes;
}

}  // namespace sparkprof

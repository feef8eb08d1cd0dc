// SPDX-License-Identifier: Apache-2.0
#include "server/folders/node_recordings.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/time.h"

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

std::string_view WithoutDomain(std::string_view host) {
  const bool is_address = host.find_first_not_of("0123456789.:") == std::string_view::npos;
  return is_address ? host : host.substr(0, host.find('.'));
}

}  // namespace

std::string HostOfDay(const std::string& id, int64_t begin_ns, int64_t end_ns) {
  const std::string_view text = id;
  const size_t dash = text.rfind('-');
  if (!text.starts_with(kNodeStart) || dash <= kNodeStart.size() || text.size() != dash + 1 + kDayDigits) return {};
  const std::string_view day = text.substr(dash + 1);
  if (day < DayText(begin_ns) || day > DayText(end_ns)) return {};
  return std::string(text.substr(kNodeStart.size(), dash - kNodeStart.size()));
}

bool IsSameHost(const std::string& a, const std::string& b) { return a == b || WithoutDomain(a) == WithoutDomain(b); }

NodeRecordings FindNodes(const RecordingDirectory& recordings, const ApplicationEntries& entries,
                         const std::vector<Application>& attempts) {
  std::vector<std::string> hosts;
  int64_t begin_ns = 0, end_ns = 0;
  for (const Application& attempt : attempts) {
    if (attempt.is_node || attempt.start_ns <= 0) continue;
    if (begin_ns == 0 || attempt.start_ns < begin_ns) begin_ns = attempt.start_ns;
    end_ns = std::max({end_ns, attempt.start_ns, attempt.end_ns});
    for (const Executor& executor : attempt.executors) hosts.push_back(executor.host);
  }
  NodeRecordings nodes;
  if (begin_ns == 0) return nodes;
  std::vector<std::string> own, all;
  for (const std::string& id : recordings.Applications(std::string(kNodeStart))) {
    const std::string host = HostOfDay(entries.ApplicationOf(id), begin_ns, end_ns);
    if (host.empty()) continue;
    all.push_back(id);
    const bool is_own = std::any_of(hosts.begin(), hosts.end(),
                                    [&](const std::string& of_executor) { return IsSameHost(of_executor, host); });
    if (is_own) own.push_back(id);
  }
  int64_t bytes = 0;
  for (const std::string& id : own.empty() ? all : own) {
    const std::optional<RecordedFiles> found = recordings.Find(id);
    if (!found) continue;
    for (const StoredFile& file : found->files) {
      const bool has_room = bytes + file.size <= kMaxNodeBytes;
      if (has_room) nodes.files.push_back(file);
      if (has_room) bytes += file.size;
      if (!has_room && !own.empty()) nodes.omitted_bytes += file.size;
    }
  }
  return nodes;
}

}  // namespace sparkprof

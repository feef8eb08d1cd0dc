// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/findings/rules.h"
#include "analysis/machines/host_stacks.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNamedHosts = 5;

bool HasHosts(const Application& application) {
  std::set<std::string_view> hosts;
  for (const Executor& executor : application.executors) {
    if (!executor.host.empty()) hosts.insert(executor.host);
  }
  return hosts.size() >= kLeastHosts;
}

std::string Names(const std::vector<const HostStacks*>& hosts) {
  std::string names;
  for (size_t row = 0; row < std::min(hosts.size(), kMaxNamedHosts); ++row) {
    names += (row == 0 ? "" : ", ") + hosts[row]->host;
  }
  return hosts.size() > kMaxNamedHosts ? names + ", …" : names;
}

std::string EventTime(const std::string& event) {
  if (event == EventName(Event::kCpu)) return "CPU time";
  return event == EventName(Event::kWall) ? "task time" : "allocated bytes";
}

// The executor on this host, for a selection.
std::string ExecutorOn(const Application& application, const std::string& host) {
  const auto found = std::find_if(application.executors.begin(), application.executors.end(),
                                  [&](const Executor& executor) { return executor.host == host; });
  return found == application.executors.end() ? std::string() : found->id;
}

}  // namespace

std::optional<Finding> FindOutlierHosts(const FindingInput& input) {
  if (!HasHosts(input.application)) return std::nullopt;
  const std::vector<HostStacks> hosts = CompareHosts({&input.application});
  std::vector<const HostStacks*> outliers;
  for (const HostStacks& host : hosts) {
    if (host.is_outlier && !host.frames.empty()) outliers.push_back(&host);
  }
  if (outliers.empty()) return std::nullopt;
  std::stable_sort(outliers.begin(), outliers.end(),
                   [](const HostStacks* a, const HostStacks* b) { return *a->distance > *b->distance; });
  const HostStacks& first = *outliers.front();
  const HostFrame& frame = first.frames.front();
  Finding finding;
  finding.title =
      outliers.size() == 1
          ? fmt::format("Host {} spends {} of its {} in {}, the others {}", first.host, FormatShare(frame.share),
                        EventTime(first.event), frame.frame, FormatShare(frame.others))
          : fmt::format("{} of {} hosts run other code than the rest", outliers.size(), hosts.size());
  finding.is_of_machine = true;
  finding.what = fmt::format("{} of {} hosts differ from the others in the code that their tasks run: {}",
                             outliers.size(), hosts.size(), Names(outliers));
  finding.evidence =
      fmt::format("{}: distance {:.2f} from the other hosts ({}); {} has {} of its samples, the others {}", first.host,
                  *first.distance, first.event, frame.frame, FormatShare(frame.share), FormatShare(frame.others));
  finding.condition = fmt::format(
      "Of at least {} hosts, the samples of one are far from the median of all, and farther than the others",
      kLeastHosts);
  finding.change =
      "Compare the host's versions of libraries, configuration, disks and neighbors with the others'; leave it out "
      "(spark.excludeOnFailure, node labels) until it is repaired";
  finding.selection.event = first.event;
  finding.selection.executor = ExecutorOn(input.application, first.host);
  for (const HostFrame& one : first.frames) finding.frames.push_back(one.frame);
  int64_t excess_ns = 0;
  for (const HostStacks* const host : outliers) {
    const HostFrame& largest = host->frames.front();
    if (host->event != EventName(Event::kAlloc)) {
      excess_ns += static_cast<int64_t>(static_cast<double>(largest.weight) * (1 - largest.others / largest.share));
    }
  }
  finding.claim = ClaimWall(excess_ns / std::max<int64_t>(1, input.cores), kHalf);
  return finding;
}

}  // namespace sparkprof

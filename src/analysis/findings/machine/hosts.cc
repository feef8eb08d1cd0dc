// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/machines/host_stacks.h"

namespace sparkprof {
namespace {

constexpr double kAlmostFull = 0.9;
constexpr double kMuchWritten = 0.02;  // share of the disk that all processes wrote since the executor started

// The disk with an executor's folders for shuffles and spills; bytes.
struct LocalDisk {
  double first_free = 0, least_free = 0, total = 0;

  double Used() const { return total > 0 ? 1 - least_free / total : 0; }
  double Written() const { return total > 0 ? (first_free - least_free) / total : 0; }
};

std::map<int32_t, LocalDisk> LocalDisksOf(const Application& application) {
  std::map<int32_t, LocalDisk> disks;  // by row of the executor
  for (const ApplicationSeries& series : application.series) {
    if (series.executor < 0 || series.points.empty()) continue;
    if (series.name == "disk.local_total_bytes") disks[series.executor].total = series.points.back().value;
    if (series.name != "disk.local_free_bytes") continue;
    LocalDisk& disk = disks[series.executor];
    disk.first_free = disk.least_free = series.points.front().value;
    for (const SeriesPoint& point : series.points) disk.least_free = std::min(disk.least_free, point.value);
  }
  return disks;
}

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

std::string ExecutorOn(const Application& application, const std::string& host) {
  const auto found =
      std::ranges::find_if(application.executors, [&](const Executor& executor) { return executor.host == host; });
  return found == application.executors.end() ? std::string() : found->id;
}

}  // namespace

std::optional<Finding> FindFullDisks(const FindingInput& input) {
  const LocalDisk* fullest = nullptr;
  int32_t executor = -1;
  size_t count = 0;
  const std::map<int32_t, LocalDisk> disks = LocalDisksOf(input.application);
  for (const auto& [row, disk] : disks) {
    if (disk.Used() < kAlmostFull || disk.Written() < kMuchWritten) continue;
    ++count;
    if (fullest != nullptr && fullest->Used() >= disk.Used()) continue;
    fullest = &disk;
    executor = row;
  }
  if (fullest == nullptr) return std::nullopt;
  const std::string& id = input.application.executors[static_cast<size_t>(executor)].id;
  const std::string who = id == "driver" ? "the driver" : fmt::format("executor {}", id);
  Finding finding;
  finding.title = fmt::format("The local disk of {} gets full: {} used", who, FormatShare(fullest->Used()));
  finding.what = fmt::format("The file system of spark.local.dir has {} left of {}",
                             FormatBytes(static_cast<int64_t>(fullest->least_free)),
                             FormatBytes(static_cast<int64_t>(fullest->total)));
  finding.evidence = fmt::format("{} were written there while it ran",
                                 FormatBytes(static_cast<int64_t>(fullest->first_free - fullest->least_free)));
  if (count > 1) finding.evidence += fmt::format("; {} executors have such a disk", count);
  finding.condition = fmt::format("The file system of spark.local.dir is at least {} full, and {} of it were written",
                                  FormatShare(kAlmostFull), FormatShare(kMuchWritten));
  finding.selection.executor = id;
  finding.risk = kRiskOfGrowth;
  finding.change =
      "Give spark.local.dir a larger disk (on YARN yarn.nodemanager.local-dirs, on Kubernetes a volume whose name "
      "begins with spark-local-dir-), or write less to it: filter before the shuffle, and unpersist() what is cached "
      "on disk. Once it is full, tasks fail with \"No space left on device\"";
  return finding;
}

std::optional<Finding> FindOutlierHosts(const FindingInput& input) {
  if (!HasHosts(input.application)) return std::nullopt;
  const std::vector<HostStacks> hosts = CompareHosts({&input.application});
  std::vector<const HostStacks*> outliers;
  for (const HostStacks& host : hosts) {
    if (host.is_outlier && !host.frames.empty()) outliers.push_back(&host);
  }
  if (outliers.empty()) return std::nullopt;
  std::ranges::stable_sort(outliers,
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
      excess_ns += Scaled(largest.weight, 1 - largest.others / largest.share);
    }
  }
  finding.claim = ClaimWall(excess_ns / std::max<int64_t>(1, input.cores), kHalf);
  return finding;
}

}  // namespace sparkprof

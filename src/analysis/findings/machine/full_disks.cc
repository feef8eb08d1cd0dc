// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "analysis/findings/rules.h"
#include "base/text/text.h"

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

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchListing = 0.05;  // of the application's duration

}  // namespace

std::optional<Finding> FindFileListing(const FindingInput& input) {
  const ReaderJobs jobs = ListingJobsOf(input);
  const double share = Share(jobs.time_ns, input.duration_ns);
  if (jobs.time_ns < kWorthwhileNs || share < kMuchListing) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Listing files takes {} of the time", FormatShare(share));
  finding.confidence = 0.8;
  finding.what = fmt::format("Before the queries, {} list {} of the sources", Counted(jobs.count, "job"),
                             Counted(jobs.tasks, "folder"));
  finding.evidence = fmt::format("these jobs take {}", FormatDuration(jobs.time_ns));
  finding.condition = fmt::format("Jobs that list files take at least {} of the duration and at least {}",
                                  FormatShare(kMuchListing), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = jobs.stages;
  finding.frames = jobs.lines;
  finding.change =
      "Use a table that knows its files (Delta, Iceberg, or a catalog table with "
      "spark.sql.hive.filesourcePartitionFileCacheSize), partition by fewer values, or read only the folders that the "
      "job needs (basePath)";
  finding.gain_ns = jobs.time_ns;
  finding.gain_low = 0.3;
  finding.gain_high = 1;
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyListings = 3;  // per set of folders

}  // namespace

std::optional<Finding> FindFileListing(const FindingInput& input) {
  const ReaderJobs jobs = ListingJobsOf(input);
  const double share = Share(jobs.time_ns, input.duration_ns);
  if (jobs.time_ns < kWorthwhileNs || share < kNoticeable) return std::nullopt;
  Finding finding;
  const bool is_repeated = jobs.repeats >= kManyListings;
  finding.title = is_repeated ? fmt::format("The same folders are listed {} times, which takes {} of the time",
                                            jobs.repeats, FormatShare(share))
                              : fmt::format("Listing files takes {} of the time", FormatShare(share));
  finding.what = fmt::format("Before the queries, {} list {} of the sources", Counted(jobs.count, "job"),
                             Counted(jobs.tasks, "folder"));
  finding.evidence = fmt::format("these jobs take {}", FormatDuration(jobs.time_ns));
  finding.condition = fmt::format("Jobs that list files take at least {} of the duration and at least {}",
                                  FormatShare(kNoticeable), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = jobs.stages;
  finding.frames = jobs.lines;
  finding.change =
      is_repeated
          ? "Read the source once and use its DataFrame in all queries, cached if each reads most of it. Otherwise use "
          : "Use ";
  finding.change +=
      "a table format that keeps a list of its files (Delta or Iceberg), or a catalog table, whose list Spark keeps "
      "(spark.sql.hive.filesourcePartitionFileCacheSize). Or partition by fewer values, or read only the folders that "
      "the job needs (basePath)";
  finding.claim = is_repeated ? ClaimStages(input, jobs.stages, jobs.time_ns / jobs.repeats * (jobs.repeats - 1), kMost)
                              : ClaimStages(input, jobs.stages, jobs.time_ns, kHalf);
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/reader_jobs.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
std::optional<Finding> FindSchemaInference(const FindingInput& input) {
  const ReaderJobs jobs = SchemaJobsOf(input);
  const double share = Share(jobs.time_ns, input.duration_ns);
  if (jobs.time_ns < kWorthwhileNs || share < kNoticeable) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Finding out the schema of files takes {} of the time", FormatShare(share));
  finding.what =
      fmt::format("Before the queries, {} read files to find out their columns and types", Counted(jobs.count, "job"));
  const bool reads_rows = jobs.input_bytes > 0;
  finding.evidence = fmt::format("these jobs take {} and read {}", FormatDuration(jobs.time_ns),
                                 reads_rows ? FormatBytes(jobs.input_bytes) : "the footers of files");
  finding.condition = fmt::format("Jobs of readers that have no query take at least {} of the duration and at least {}",
                                  FormatShare(kNoticeable), FormatDuration(kWorthwhileNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = jobs.stages;
  finding.frames = jobs.lines;
  finding.change = "Pass the schema to the reader: spark.read.schema(…), or register the files as a table";
  if (jobs.count > 1) finding.change += ". If a loop reads the same files, read them once before it";
  if (reads_rows) finding.change += ". For JSON and CSV, samplingRatio reads fewer rows";
  finding.claim = ClaimStages(input, jobs.stages, jobs.time_ns, kWhole);
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/series.h"
#include "base/text/text.h"

namespace sparkprof {
// PySpark calls importlib.invalidate_caches() at the start of each task. In Python 3.10 and 3.11, this reads the
// directories of all zip files in sys.path, pyspark.zip among them (https://github.com/python/cpython/issues/103200).
std::optional<Finding> FindZipReads(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  // Samples lack native threads, which /proc counts.
  int64_t begin_ns = 0, end_ns = 0;
  TaskSpan(input, summary, &begin_ns, &end_ns);
  const int64_t python_ns = std::max(work.all_cpu_ns, PythonCpuBetween(input.application, begin_ns, end_ns));
  const double share = Share(work.zip_ns, python_ns);
  const int64_t wall_ns = WallTimeOf(input, summary, work.zip_ns);
  if (work.zip_ns < kWorthwhileNs || share < kMuchOfCode || Share(wall_ns, input.duration_ns) < kNoticeable)
    return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: reading pyspark.zip again in each task takes {} of Python's CPU time",
                              stage.id, FormatShare(share));
  finding.what = fmt::format(
      "In {}, each of {} tasks calls importlib.invalidate_caches(), which reads the directories of "
      "pyspark.zip and of the other zip files in sys.path",
      StageText(input, stage), summary.tasks.size());
  finding.evidence =
      fmt::format("{} of {} of CPU time of the Python workers", FormatDuration(work.zip_ns), FormatDuration(python_ns));
  finding.condition = fmt::format(
      "Reading the directories of zip files takes at least {} of the CPU time of a stage's "
      "Python workers, at least {}, and at least {} of the duration",
      FormatShare(kMuchOfCode), FormatDuration(kWorthwhileNs), FormatShare(kNoticeable));
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change = "Use Python 3.12 or later, which does not read them again, or use fewer and longer tasks";
  // The task waits for its worker.
  finding.claim = ClaimTasks(input, summary, work.zip_ns, kWhole);
  finding.is_of_machine = true;
  return finding;
}

}  // namespace sparkprof

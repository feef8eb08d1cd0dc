// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/python/python_work.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "analysis/time/python_wait.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kImportingTasks = 4;  // a few tasks import because their workers are new

}  // namespace

std::optional<Finding> FindRepeatedInit(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  const int64_t imports_ns = work.importing_tasks >= kImportingTasks ? work.import_ns : 0;
  const int64_t init_ns = work.init_ns + imports_ns;
  if (init_ns < kWorthwhileNs || Share(init_ns, work.cpu_ns) < kMuchOfCode) return std::nullopt;
  const bool is_import = imports_ns > work.init_ns;
  const double share = Share(init_ns, work.cpu_ns);
  Finding finding;
  finding.title =
      fmt::format("Stage {}: {} takes {} of Python's CPU time", stage.id,
                  is_import ? "importing modules in each task" : "loading or building the same object again and again",
                  FormatShare(share));
  finding.what = fmt::format("In {}, {} takes {} of the CPU time of the Python code", StageText(input, stage),
                             work.by_init.front().text, FormatShare(share));
  finding.evidence = fmt::format("{} of {} of CPU samples of the Python workers", FormatDuration(init_ns),
                                 FormatDuration(work.cpu_ns));
  if (is_import) finding.evidence += fmt::format("; {} tasks import modules", work.importing_tasks);
  finding.condition = fmt::format(
      "Constructors of the user's classes, functions called like load_model or create_client, those of libraries that "
      "read models and tables (joblib.load, from_pretrained), and imports if at least {} tasks of a stage import "
      "modules, take at least {} of the CPU time of its Python code and at least {}",
      kImportingTasks, FormatShare(kMuchOfCode), FormatDuration(kWorthwhileNs));
  finding.frames = {work.by_init.front().text};
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change = is_import ? LongerTasksAdvice(input.application)
                             : "Build it once per partition (mapPartitions, or an iterator of batches in a pandas UDF) "
                               "or once per worker (a global variable), and use it for every record";
  // The JVM waits meanwhile. Importing does not pass rows.
  const double waits = summary.wall_samples_ns == 0 ? 1
                       : is_import                  ? PythonWaitOf(summary).Share()
                                                    : ShareOfPythonWait(summary);
  const double wait_ns = static_cast<double>(summary.Total(TaskMetric::kDuration)) * waits;
  // Each worker still does it once.
  const double once = is_import ? std::min(1.0, Share(input.cores, static_cast<int64_t>(summary.tasks.size()))) : 0;
  // Tasks also wait for PySpark's own code.
  const double of_wait = Share(init_ns, work.all_cpu_ns);
  finding.claim = ClaimTasks(input, summary, static_cast<int64_t>(wait_ns * of_wait * (1 - once)), kWhole);
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/compared_runs.h"

#include <cstddef>
#include <utility>

#include "analysis/time/wall_time.h"

namespace sparkprof {

ComparedRuns CompareAnswered(const AnsweredRun& before, const AnsweredRun& after) {
  ComparedRuns runs;
  runs.comparison = CompareRuns(before.application, after.application);
  runs.causes = CausesOfChange(runs.comparison, before.application, before.answers.stages, after.application,
                               after.answers.stages);
  runs.findings = CompareFindings(before.application, before.answers, after.application, after.answers);
  runs.plans = ComparePlans(before.application, after.application);
  return runs;
}

int64_t DriverTimeOf(const Application& application) {
  int64_t sum_ns = 0;
  // SIZE_MAX keeps short parts separate: their sum would also contain stages.
  for (const WallPart& part : SplitWallTime(application, SIZE_MAX)) {
    if (part.name.starts_with("Driver")) sum_ns += part.duration_ns;
  }
  return sum_ns;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "analysis/answers.h"

#include "analysis/summary.h"
#include "analysis/time_range.h"

namespace sparkprof {

Answers Answer(const Application& application) {
  Answers answers;
  answers.kinds = KindsOfStacks(application);
  answers.stages = SummarizeStages(application, answers.kinds);
  answers.time_spent = SplitTime(application);
  answers.findings = FindAll(
      {application, answers.kinds, answers.stages, Functions(application.profile), RangeOf(application).Duration()});
  answers.errors = ErrorsOf(application.logs);
  answers.lines = SummaryLines(application, answers.kinds, answers.stages);
  answers.udfs = CostOfUdfs(application);
  answers.waits = WaitsOfStages(application, answers.kinds);
  return answers;
}

}  // namespace sparkprof

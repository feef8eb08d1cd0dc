// SPDX-License-Identifier: Apache-2.0
#include "launch/scheduler_output.h"

#include <re2/re2.h>

#include "base/text.h"

namespace sparkprof {

bool IsReadByScheduler(std::string_view line) {
  // airflow/providers/apache/spark/hooks/spark_submit.py: _process_spark_submit_log, 6.3.4.
  static const RE2 kRead(
      R"(application[0-9_]|pod name: |submission ID spark:|spark-app-selector -> |[eE]xit code: \d|driver-[0-9-]|Exception in thread ")");
  return RE2::PartialMatch(line, kRead);
}

std::string WithoutSchedulerLines(std::string_view text) {
  std::string kept;
  for (const std::string_view line : Split(text, '\n')) {
    if (IsReadByScheduler(line)) continue;
    kept += line;
    kept += '\n';
  }
  if (!kept.empty()) kept.pop_back();
  return kept;
}

}  // namespace sparkprof

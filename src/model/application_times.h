// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

// Calls `visit` for the start and end of each job, stage and SQL execution; 0 = unknown.
template <typename Visit>
void ForEachScheduledTime(const Application& application, Visit&& visit) {
  for (const Job& job : application.jobs) {
    visit(job.submit_ns);
    visit(job.end_ns);
  }
  for (const Stage& stage : application.stages) {
    visit(stage.submit_ns);
    visit(stage.end_ns);
  }
  for (const SqlExecution& sql : application.sql_executions) {
    visit(sql.start_ns);
    visit(sql.end_ns);
  }
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Describes the work of a stage or a job, because Spark gives all stages of a query the same name.
struct WorkName {
  // The stage's or job's operators in the direction of data flow: "scan sales → filter → partial aggregate". Empty
  // without a plan.
  std::string work;
  // The call and line of the user's program that started it: "collect at job.py:60"; only the call if Spark has no such
  // line. For a pipeline, the flow; for dbt, the node; for a library, its operation: "Delta Lake: the state of a table,
  // computed after each commit".
  std::string line;
  // The library that runs a stage, from the stage's call stack or that of its query (Spark starts the stages of
  // adaptive execution on a separate thread): "Delta Lake". Empty = the program itself runs it.
  std::string_view library;
  // The library's setting for the number of the stage's partitions; empty = unknown.
  std::string_view partitions;

  // Formats both: "scan sales → filter, collect at job.py:60".
  std::string Text() const;
};

struct WorkNames {
  std::vector<WorkName> stages;  // one per row of Application::stages
  std::vector<WorkName> jobs;    // one per row of Application::jobs: the work of its stages, in order
};
WorkNames NamesOfWork(const Application& application);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Describes the work of a stage or a job: Spark gives all stages of a query the same name.
struct WorkName {
  // By the operators that ran in it, as data flows: "scan sales → filter → partial aggregate". Empty without a plan.
  std::string work;
  // The call and the line of the user's program that started it: "collect at job.py:60"; only the call if Spark has
  // no such line. Of a pipeline, the flow; of dbt, the node; of a library, its operation: "Delta Lake: the state of a
  // table, computed after each commit".
  std::string line;
  // The library that runs a stage, by the stage's call stack or that of its query (Spark starts the stages of adaptive
  // execution from a thread of its own): "Delta Lake". Empty = the program itself runs it.
  std::string_view library;
  // The library's setting that decides the number of the stage's partitions; empty = none is known.
  std::string_view partitions;

  // Both: "scan sales → filter, collect at job.py:60"
  std::string Text() const;
};

struct WorkNames {
  std::vector<WorkName> stages;  // one for each row of Application::stages
  std::vector<WorkName> jobs;    // one for each row of Application::jobs: the work of its stages, in their order
};
WorkNames NamesOfWork(const Application& application);

}  // namespace sparkprof

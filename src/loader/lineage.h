// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The runs and datasets in events of OpenLineage's listener for Spark. A run is an application, or a query or job of
// it; several events describe it.
class Lineage {
 public:
  // Adds an event, one JSON object. False if the text is not an event of a run.
  bool Add(std::string_view event);

  // Gives the jobs of the application's runs the tags "lineage:JOB", "run:ID", "input:DATASET" and "output:DATASET",
  // where JOB and ID are those of OpenLineage. `is_only`: runs of an unknown application are of this one.
  void AddTags(bool is_only, Application* application) const;

  bool IsEmpty() const { return runs_.empty(); }

 private:
  struct Run {
    std::string parent;          // the application's run
    std::string application_id;  // Spark's
    std::string job;
    std::set<int64_t> jobs;  // IDs of Spark's jobs
    std::set<std::string> inputs, outputs;
  };

  // The ID of the run's application; empty = unknown.
  std::string_view ApplicationOf(const Run& run) const;

  std::map<std::string, Run> runs_;  // by ID
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Runs and datasets from events of OpenLineage's Spark listener. A run is an application, or a query or job of it;
// several events describe it.
class Lineage {
 public:
  // Adds an event, one JSON object. Returns false if the text is not a run event.
  bool Add(std::string_view event);

  // Adds the tags "lineage:JOB", "run:ID", "input:DATASET" and "output:DATASET" to the jobs of the application's runs,
  // with OpenLineage's JOB and ID. `is_only`: also uses runs of an unknown application.
  void AddTags(bool is_only, Application* application) const;

  bool IsEmpty() const { return runs_.empty(); }

 private:
  struct Run {
    std::string parent;          // run of the application
    std::string application_id;  // Spark's application ID
    std::string job;
    std::set<int64_t> jobs;  // Spark's job IDs
    std::set<std::string> inputs, outputs;
  };

  // Application ID of the run; empty = unknown.
  std::string_view ApplicationOf(const Run& run) const;

  std::map<std::string, Run> runs_;  // by run ID
};

}  // namespace sparkprof

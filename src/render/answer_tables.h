// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/timeline.h"
#include "model/application.h"
#include "render/table_writer.h"

namespace sparkprof {

// Tables of what is worked out rather than recorded; they view their arguments. Times are ms since the epoch.

// "findings": id, severity, confidence, title, what, evidence, rule, change, gainMs
Table FindingsTable(const std::vector<Finding>& findings);

// "concurrency": time, running: number of running tasks from that time on
class ConcurrencyTable {
 public:
  explicit ConcurrencyTable(const Application& application) : steps_(ConcurrencyOfAll(application)) {}
  Table Steps() const;

 private:
  std::vector<ConcurrencyStep> steps_;
};

// "series": name, executorId, pid, time, value; a row for each point of each curve
Table SeriesTable(const Application& application);

// "log_templates": template, count, first, last
Table LogTemplatesTable(const Application& application);

}  // namespace sparkprof

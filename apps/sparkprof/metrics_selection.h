// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "formats/records/profiler_records.h"

namespace sparkprof {

// Which curves `sparkprof metrics` prints. Names are matched by part, case matters.
struct MetricsSelection {
  std::vector<std::string> include;  // any of them; empty = every standard metric
  std::vector<std::string> ignore;   // excluded
  std::string profiler;              // part of a profiler's name, case does not matter: "pyspark"
  std::string id;                    // pid of a PySpark worker; other profilers' records always count
  bool all = false;                  // details too
};

// Series that the selection keeps. Details, which only `all` shows, are also kept where `include` names nothing else.
std::vector<const RecordSeries*> SelectSeries(const ProfilerRecords& records, const MetricsSelection& selection);

// Metrics in the order in which they first appear, each with its series.
struct MetricGroup {
  std::string name;
  std::vector<const RecordSeries*> series;
};
std::vector<MetricGroup> GroupByName(const std::vector<const RecordSeries*>& series);

// The largest value of the points that have one.
double Maximum(const MetricGroup& group, bool normalize);

}  // namespace sparkprof

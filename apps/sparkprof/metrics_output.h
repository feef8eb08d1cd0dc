// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metrics_selection.h"

namespace sparkprof {

// The output of `sparkprof metrics`; each text ends with a line end.

// {"heapMemoryTotalUsed":336.9,…} or lines "name maximum unit".
std::string MaximaJson(const std::vector<MetricGroup>& groups, bool normalize);
std::string MaximaText(const std::vector<MetricGroup>& groups, bool normalize);

// One object for each curve, with its points as "times" (epoch ms) and "values" if `with_points`.
std::string SeriesJson(const ProfilerRecords& records, const std::vector<MetricGroup>& groups, bool normalize,
                       bool with_points);

// metric,profiler,process,unit,epochMillis,value: a line for each point.
std::string SeriesCsv(const ProfilerRecords& records, const std::vector<MetricGroup>& groups, bool normalize);

// A table with a line for each metric.
std::string SeriesTable(const std::vector<MetricGroup>& groups, bool normalize);

}  // namespace sparkprof

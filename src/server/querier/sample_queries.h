// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/samples/profile.h"
#include "server/querier/label_selector.h"
#include "server/querier/queried_applications.h"

namespace sparkprof {

// Samples of one type in all matching applications.
struct SampleQuery {
  std::string type;  // ID of a ProfileType
  LabelMatchers matchers;
  QueriedRange range;
};

// Merges the samples into a profile with one event, or without events if there are none. Merges the lines of a
// function.
QueryResult<Profile> MergeSamples(const QueriedApplications& applications, const SampleQuery& query);

// Sums over steps.
struct SampleSeries {
  std::vector<std::string> labels;                  // values of the labels to group by
  std::vector<std::pair<int64_t, int64_t>> points;  // time in ns and sum; steps without samples have no point
};

// Points are at the start of the range and every `step_ns` after it. Each sums the samples since the previous point;
// the first one those of the step before the range. Sorted by labels. Keeps the `limit` series with the largest sums; 0
// = all.
QueryResult<std::vector<SampleSeries>> SumSteps(const QueriedApplications& applications, const SampleQuery& query,
                                                const std::vector<std::string>& group_by, int64_t step_ns,
                                                size_t limit);

// Combinations of label values in samples of any type. Missing values are "".
using LabelSets = std::set<std::vector<std::string>>;
QueryResult<LabelSets> FindLabelSets(const QueriedApplications& applications, const std::vector<std::string>& names,
                                     const LabelMatchers& matchers, const QueriedRange& range);

}  // namespace sparkprof

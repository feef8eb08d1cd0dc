// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/call_site.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kManyRounds = 3;
constexpr int64_t kMuchShuffle = int64_t{8} << 20;  // shuffle per round

// Stages (rows) of RDD programs by line that read a cache and write about equal shuffles.
std::map<std::string, std::vector<size_t>> RoundsOf(const FindingInput& input) {
  const Application& application = input.application;
  std::map<std::string, std::vector<size_t>> by_line;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    const bool is_of_rdd = stage.sql_execution < 0 && WorkOf(input, stage).library.empty();
    const int64_t bytes = input.stages[row].Total(TaskMetric::kShuffleWriteBytes);
    if (is_of_rdd && bytes >= kMuchShuffle && ReadsCache(application, stage.id)) by_line[stage.name].push_back(row);
  }
  std::erase_if(by_line, [&](const auto& one) {
    const auto bytes = [&](size_t row) { return input.stages[row].Total(TaskMetric::kShuffleWriteBytes); };
    const int64_t first = bytes(one.second.front());
    return one.second.size() < kManyRounds ||
           std::any_of(one.second.begin(), one.second.end(), [&](size_t row) { return !AreAlike(bytes(row), first); });
  });
  return by_line;
}

// Rows of the stages that read these stages' shuffles.
std::vector<size_t> StagesAfter(const Application& application, const std::vector<size_t>& writers) {
  std::vector<size_t> readers;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const std::vector<int64_t>& parents = application.stages[row].parents;
    const auto is_parent = [&](size_t writer) {
      return std::find(parents.begin(), parents.end(), application.stages[writer].id) != parents.end();
    };
    if (std::any_of(writers.begin(), writers.end(), is_parent)) readers.push_back(row);
  }
  return readers;
}

}  // namespace

std::optional<Finding> FindReshuffledCaches(const FindingInput& input) {
  const Application& application = input.application;
  constexpr int64_t kPartOfReaders = 2;  // estimate: half of their time
  std::optional<Finding> worst;
  int64_t most_ns = 0;
  for (const auto& [line, rounds] : RoundsOf(input)) {
    int64_t writing_ns = 0, reading_ns = 0;
    std::vector<int64_t> stages;
    for (const size_t row : rounds) {
      writing_ns += input.stages[row].wall_ns;
      stages.push_back(application.stages[row].id);
    }
    for (const size_t row : StagesAfter(application, rounds)) {
      reading_ns += input.stages[row].wall_ns;
      stages.push_back(application.stages[row].id);
    }
    const int64_t time_ns = writing_ns + reading_ns / kPartOfReaders;
    if (time_ns <= most_ns || Share(time_ns, input.duration_ns) < kMuchOfTime) continue;
    most_ns = time_ns;
    const int64_t bytes = input.stages[rounds.front()].Total(TaskMetric::kShuffleWriteBytes);
    Finding& finding = worst.emplace();
    finding.title = fmt::format("A cached RDD is shuffled again in each of {} stages", rounds.size());
    finding.what = fmt::format("{} stages of {} read a cached RDD and write {} of shuffle each", rounds.size(),
                               ShortCallSite(line), FormatBytes(bytes));
    finding.evidence = fmt::format("writing it takes {}, the stages that read it {}", FormatDuration(writing_ns),
                                   FormatDuration(reading_ns));
    finding.condition = fmt::format(
        "At least {} stages of one line of an RDD program read a cache and write about as much shuffle each, at least "
        "{}, and that takes at least {} of the duration, with half of the time of the stages that read it",
        kManyRounds, FormatBytes(kMuchShuffle), FormatShare(kMuchOfTime));
    finding.selection.event = EventName(Event::kCpu);
    finding.stages = stages;
    if (IsOfProgram(ShortCallSite(line))) finding.frames = {ShortCallSite(line)};
    finding.change =
        "Keep the partitioner of the cached RDD, so that joins with it need no shuffle: mapValues() or flatMapValues() "
        "instead of map() after groupByKey(), reduceByKey() or partitionBy(), and persist() the result";
    finding.claim = ClaimStages(input, stages, time_ns, kHalf);
  }
  return worst;
}

}  // namespace sparkprof

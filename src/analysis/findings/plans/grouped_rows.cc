// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/call_site.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kMuchGrouped = int64_t{32} << 20;
constexpr int64_t kTimesSmaller = 5;  // output of the stage relative to its input

// A stage that reads all rows of each key, and the stages that write them.
struct Grouping {
  std::string call;  // "groupByKey at job.py:6"
  size_t reader = 0;
  std::vector<size_t> writers;
};

// groupByKey() is the call of the RDD that reads the groups in a JVM program, and of the stage that writes them in a
// Python program.
std::vector<Grouping> GroupingsOf(const Application& application) {
  std::unordered_map<int64_t, size_t> rows;
  for (size_t row = 0; row < application.stages.size(); ++row) rows.try_emplace(application.stages[row].id, row);
  std::vector<Grouping> groupings;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    const Stage& stage = application.stages[row];
    Grouping grouping{stage.grouped_by, row, {}};
    for (const int64_t parent : stage.parents) {
      const auto writer = rows.find(parent);
      if (writer == rows.end()) continue;
      const std::string& name = application.stages[writer->second].name;
      if (grouping.call.empty() && name.starts_with("groupBy")) grouping.call = name;
      grouping.writers.push_back(writer->second);
    }
    if (!grouping.call.empty() && !grouping.writers.empty()) groupings.push_back(std::move(grouping));
  }
  return groupings;
}

int64_t BytesThatLeave(const StageSummary& summary) {
  return summary.Total(TaskMetric::kOutputBytes) + summary.Total(TaskMetric::kShuffleWriteBytes) +
         summary.Total(TaskMetric::kResultSize);
}

}  // namespace

std::optional<Finding> FindGroupedRows(const FindingInput& input) {
  const Application& application = input.application;
  std::optional<Finding> worst;
  int64_t most_ns = 0;
  for (const Grouping& grouping : GroupingsOf(application)) {
    const Stage& stage = application.stages[grouping.reader];
    const StageSummary& reader = input.stages[grouping.reader];
    const int64_t bytes = reader.Total(TaskMetric::kShuffleReadBytes), left = BytesThatLeave(reader);
    const bool is_of_library = !WorkOf(input, stage).library.empty();
    // Cached groups have other uses than this result.
    const bool is_kept = HasCache(application, stage.id);
    if (bytes < kMuchGrouped || left > bytes / kTimesSmaller || is_of_library || is_kept) continue;
    std::vector<int64_t> stages = {stage.id};
    int64_t time_ns = reader.wall_ns;
    for (const size_t writer : grouping.writers) {
      stages.push_back(application.stages[writer].id);
      time_ns += input.stages[writer].wall_ns;
    }
    if (time_ns <= most_ns || Share(time_ns, input.duration_ns) < kMuchOfTime) continue;
    most_ns = time_ns;
    const std::string line = ShortCallSite(grouping.call), call = line.substr(0, line.find(' '));
    Finding& finding = worst.emplace();
    finding.title = fmt::format("{}() shuffles {} to keep {}", call, FormatBytes(bytes), FormatBytes(left));
    finding.what = fmt::format("{} brings all rows of each key to one task, which keeps them as objects", line);
    finding.evidence =
        fmt::format("writing and reading the groups takes {}; {} of shuffle, and {} leave {}", FormatDuration(time_ns),
                    FormatBytes(bytes), FormatBytes(left), StageText(input, stage));
    finding.condition = fmt::format(
        "groupByKey() or groupBy() of an RDD shuffles at least {}, at most 1/{} of it leaves the stage that reads it, "
        "nothing keeps the groups, and both stages take at least {} of the duration",
        FormatBytes(kMuchGrouped), kTimesSmaller, FormatShare(kMuchOfTime));
    finding.selection = SelectStage(stage, Event::kCpu);
    finding.change =
        "Combine before the shuffle: reduceByKey() or aggregateByKey() for sums, counts and extremes, or a DataFrame's "
        "groupBy().agg(). Only what needs all values of a key at once has to group them";
    finding.stages = stages;
    if (IsOfProgram(line)) finding.frames = {line};
    finding.claim = ClaimStages(input, stages, time_ns, kHalf);
  }
  return worst;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kFolderLength = 80;

// Start times of reads by file range.
using ReadTimes = std::map<std::string, std::vector<int64_t>>;

ReadTimes ReadTimesOf(const LogRecords& logs) {
  static const re2::RE2 of_query(R"(Reading File path: (.*, range: \d+-\d+), partition values)");
  static const re2::RE2 of_rdd(R"(Input split: (.*:\d+\+\d+))");
  ReadTimes times;
  const auto add = [&](std::string_view begin, const re2::RE2& pattern) {
    ForEachRecord(logs, begin, [&](std::string_view text, int64_t time_ns) {
      std::string range;
      if (re2::RE2::PartialMatch(text, pattern, &range)) times[range].push_back(time_ns);
    });
  };
  add("Reading File path: ", of_query);
  add("Input split: ", of_rdd);
  return times;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return Shorten(slash == std::string::npos ? path : path.substr(0, slash), kFolderLength);
}

}  // namespace

std::optional<Finding> FindReadsInLogs(const FindingInput& input) {
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  std::map<std::string, int64_t> files;  // ranges that are read repeatedly, by folder
  std::vector<int64_t> times_ns;
  size_t most_reads = 0;
  for (const auto& [range, times] : ReadTimesOf(input.application.logs)) {
    if (times.size() < kManyQueriesRead) continue;
    ++files[FolderOf(range)];
    times_ns.insert(times_ns.end(), times.begin(), times.end());
    most_reads = std::max(most_reads, times.size());
  }
  if (files.empty()) return std::nullopt;
  std::unordered_map<int64_t, int64_t> time_of_stage;
  for (size_t row = 0; row < input.stages.size(); ++row)
    time_of_stage[input.application.stages[row].id] += input.stages[row].wall_ns;
  Finding finding;
  finding.stages = StagesAt(input.application, std::move(times_ns));
  std::vector<int64_t> of_stages;
  for (const int64_t stage : finding.stages) of_stages.push_back(time_of_stage[stage]);
  std::sort(of_stages.rbegin(), of_stages.rend());
  // At a resolution of one second, the times also match a stage that ends while the next one begins to read.
  if (of_stages.size() > most_reads) of_stages.resize(most_reads);
  int64_t all_ns = 0;
  for (const int64_t time_ns : of_stages) all_ns += time_ns;
  const int64_t common_ns = TimeInCommon(of_stages);
  if (common_ns < kWorthwhileNs || Share(common_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const auto most =
      std::max_element(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  finding.title = fmt::format("Tasks read the same files {} times, without a cache: {}", most_reads, most->first);
  finding.what = fmt::format("By their logs, tasks read {} of files in {} up to {} times",
                             Counted(most->second, "part"), most->first, most_reads);
  finding.evidence = fmt::format("the stages that read them take {} in total, the longest {}", FormatDuration(all_ns),
                                 FormatDuration(of_stages.front()));
  finding.condition = fmt::format(
      "By text logs alone, tasks read the same part of a file at least {} times, and what the stages that do have in "
      "common takes at least {} of the duration",
      kManyQueriesRead, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Keep what the queries have in common: cache() or persist() the data before the first action, and unpersist() it "
      "after the last one. If it is too large, write it once as Parquet and read that";
  const bool is_stream = !input.application.streaming_batches.empty();
  const bool saves = !is_stream || HasBusyStream(input.application);
  finding.claim = ClaimStages(input, finding.stages, common_ns, saves ? kHalf : kNothing);
  return finding;
}

}  // namespace sparkprof

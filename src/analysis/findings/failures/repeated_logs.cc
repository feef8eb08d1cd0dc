// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kOften = 20;   // times
constexpr int64_t kPerTask = 2;  // and per task: once per task may be intended

// Messages about an initialization that the user's code logs, as opposed to Spark's messages for each task and block.
bool IsInit(std::string_view text) {
  static const re2::RE2 init(
      "(?i)\\b(load(ing|ed)?|initiali[sz](e|ed|ing|ation)|download(ing|ed)?|connect(ing|ed)? to|opening|"
      "warm(ing)? up|read(ing)? (the )?(model|dictionary|vocabulary|config\\w*)|(build|creat)ing (the )?(model|"
      "dictionary|index|client|connection|pipeline|parser))\\b");
  static const re2::RE2 of_spark(
      "(?i)block|broadcast|task \\S+ in stage|rdd|shuffle|jar|spark|hive|hadoop|log4j|native|codec|config file|web ui|"
      "sparkprof|BlockManager|executor");
  return re2::RE2::PartialMatch(text, init) && !re2::RE2::PartialMatch(text, of_spark);
}

}  // namespace

std::optional<Finding> FindRepeatedLogs(const FindingInput& input) {
  const LogRecords& logs = input.application.logs;
  const int64_t tasks = static_cast<int64_t>(input.application.tasks.Size());
  const LogTemplate* worst = nullptr;
  for (const LogTemplate& one : logs.templates) {
    if (one.count < std::max(kOften, kPerTask * tasks) || !IsInit(one.text)) continue;
    if (worst == nullptr || one.count > worst->count) worst = &one;
  }
  if (worst == nullptr) return std::nullopt;
  const auto row = static_cast<uint32_t>(worst - logs.templates.data());
  const auto first = std::find(logs.template_row.begin(), logs.template_row.end(), row);
  Finding finding;
  finding.title = fmt::format("The logs repeat an initialization {} times", worst->count);
  finding.what =
      fmt::format("The message \"{}\" occurs {} times, in {} tasks", Shorten(worst->text, 120), worst->count, tasks);
  finding.evidence = fmt::format("from the first to the last: {}", FormatDuration(worst->last_ns - worst->first_ns));
  if (first != logs.template_row.end()) {
    const auto at = static_cast<size_t>(first - logs.template_row.begin());
    finding.frames = {fmt::format("{}:{}", logs.sources[logs.source[at]], logs.line[at])};
  }
  finding.condition = fmt::format(
      "A message about loading or initializing occurs at least {} times, and at least {} times for each task", kOften,
      kPerTask);
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Initialize once per partition (mapPartitions) or once per executor (a global variable, a lazy val of an object, "
      "a broadcast), and use it for every record";
  const int64_t span_ns = std::max<int64_t>(0, worst->last_ns - worst->first_ns);
  // The share that the initialization takes of the time between records is unknown.
  finding.claim = ClaimWall(span_ns, kHalf);
  return finding;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/log_values.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kReadTemplate = "Reading File path: ";
constexpr std::string_view kSplitTemplate = "Input split: ";

}  // namespace

std::optional<Finding> FindSmallFilesInLogs(const FindingInput& input) {
  // A file that is read in several ranges is not small: the first one tells its files apart.
  static const re2::RE2 of_query(R"(Reading File path: .*, range: 0-(\d+), partition values)");
  static const re2::RE2 of_rdd(R"(Input split: .*:0\+(\d+))");
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t files = 0, bytes = 0;
  const auto add = [&](std::string_view begin, const re2::RE2& pattern) {
    return ForEachRecord(input.application.logs, begin, [&](std::string_view text, int64_t) {
      int64_t end = 0;
      if (!re2::RE2::PartialMatch(text, pattern, &end)) return;
      ++files;
      bytes += end;
    });
  };
  const int64_t of_queries_ns = add(kReadTemplate, of_query), of_rdds_ns = add(kSplitTemplate, of_rdd);
  const int64_t span_ns = of_queries_ns + of_rdds_ns;
  if (files < kManyFiles || bytes / files >= kSmallFile) return std::nullopt;
  const int64_t each = bytes / files;
  Finding finding;
  finding.title = fmt::format("Scans read {} small files of {} on average", files, FormatBytes(each));
  finding.what = fmt::format("By their logs, tasks read {} files of {} in total", files, FormatBytes(bytes));
  finding.evidence = fmt::format("from the first to the last: {}", FormatDuration(span_ns));
  finding.condition = fmt::format("By text logs alone, scans read at least {} files with less than {} on average",
                                  kManyFiles, FormatBytes(kSmallFile));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = StagesThatLog(input.application, of_queries_ns > of_rdds_ns ? kReadTemplate : kSplitTemplate);
  finding.change = CompactAdvice(input.cores, bytes);
  const auto opening_ns = static_cast<int64_t>(static_cast<double>(span_ns) * (1 - Share(each, kSmallFile)));
  finding.claim = ClaimStages(input, finding.stages, opening_ns, kMost);
  return finding;
}

}  // namespace sparkprof

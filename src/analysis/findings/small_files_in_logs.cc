// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/small_file.h"
#include "base/text.h"

namespace sparkprof {

std::optional<Finding> FindSmallFilesInLogs(const FindingInput& input) {
  // A file that is read in several ranges is not small: the first one tells its files apart.
  static const re2::RE2 pattern(R"(Reading File path: .*, range: 0-(\d+), partition values)");
  if (!HasOnlyLogs(input.application)) return std::nullopt;
  int64_t files = 0, bytes = 0;
  const int64_t span_ns = ForEachRecord(input.application.logs, "Reading File path: ", [&](std::string_view text) {
    int64_t end = 0;
    if (!re2::RE2::PartialMatch(text, pattern, &end)) return;
    ++files;
    bytes += end;
  });
  if (files < kManyFiles || bytes / files >= kSmallFile) return std::nullopt;
  const int64_t each = bytes / files;
  Finding finding;
  finding.title = fmt::format("Scans read {} small files of {} on average", files, FormatBytes(each));
  finding.confidence = 0.8;
  finding.what = fmt::format("By their logs, tasks read {} files of {} in total", files, FormatBytes(bytes));
  finding.evidence = fmt::format("from the first to the last: {}", FormatDuration(span_ns));
  finding.condition = fmt::format("By text logs alone, scans read at least {} files with less than {} on average",
                                  kManyFiles, FormatBytes(kSmallFile));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = CompactAdvice(input.cores, bytes);
  finding.gain_ns = static_cast<int64_t>(static_cast<double>(span_ns) * (1 - Share(each, kSmallFile)) * kSavedOfScan);
  finding.gain_low = 0.4;
  finding.gain_high = 1.1;
  return finding;
}

}  // namespace sparkprof

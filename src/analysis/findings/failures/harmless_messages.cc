// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/harmless_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/advice.h"
#include "analysis/findings/failures/failure_report.h"
#include "base/text/text.h"
#include "failures/failures.h"

namespace sparkprof {
namespace {

struct Kind {
  const Failure* failure = nullptr;
  size_t first = 0;  // row
  int64_t records = 0;
};

}  // namespace

std::vector<std::string> HarmlessMessages(const Application& application, LogLevel least) {
  constexpr int64_t kMaxRecords = 20'000;
  const LogRecords& logs = application.logs;
  std::vector<Kind> kinds;
  const std::vector<std::string_view> around = TextsAround(application);
  int64_t searched = 0;
  for (size_t row = 0; row < logs.Size() && searched < kMaxRecords; ++row) {
    if (logs.level[row] < least && (logs.level[row] != LogLevel::kNone || least > LogLevel::kWarn)) continue;
    ++searched;
    const auto match = FindFailure(logs.Text(row), ClusterManager::kUnknown, around);
    if (!match || match->failure->rank != FailureRank::kHarmless) continue;
    const auto known =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.failure == match->failure; });
    if (known == kinds.end()) {
      kinds.push_back({match->failure, row, 1});
    } else {
      ++known->records;
    }
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.records > b.records; });
  std::vector<std::string> texts;
  for (const Kind& kind : kinds) {
    std::string_view means = Trim(kind.failure->means);
    if (means.ends_with('.')) means.remove_suffix(1);
    texts.push_back(fmt::format("{} ({}, the first at {}:{})", means, Counted(kind.records, "record"),
                                logs.sources[logs.source[kind.first]], logs.line[kind.first]));
  }
  return texts;
}

std::vector<std::string> UnknownErrors(const Application& application) {
  constexpr size_t kShown = 3, kLength = 160;
  const LogRecords& logs = application.logs;
  std::vector<std::string> texts;
  size_t errors = 0;
  for (size_t row = 0; row < logs.Size(); ++row) {
    if (logs.level[row] < LogLevel::kError || FindFailure(logs.Text(row))) continue;
    if (++errors > kShown) continue;
    texts.push_back(fmt::format("An error that is not known ({}:{}): {}", logs.sources[logs.source[row]],
                                logs.line[row], ExcerptAt(logs.Text(row), 0, kLength)));
  }
  if (errors > kShown) texts.push_back(fmt::format("{} more errors that are not known", errors - kShown));
  return texts;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "base/time.h"
#include "text_log/log_header.h"
#include "text_log/missing_dates.h"

namespace sparkprof {
namespace {

std::string UpperCaseLevel(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// A duration with a unit: "12.5s". A bare number is seconds or ms since the Unix epoch.
std::optional<int64_t> SinceStart(const std::string& text) {
  const Result<int64_t> duration_ns = ParseDuration(text);
  constexpr int64_t kLongest = int64_t{100} * 365 * 86'400 * kNanosPerSecond;
  return duration_ns && *duration_ns <= kLongest ? std::optional<int64_t>(*duration_ns) : std::nullopt;
}

Result<LogTime> ParseTime(const std::string& option, const std::string& text) {
  // A minute, and a day.
  for (const char* const rest : {"", ":00", " 00:00:00"}) {
    const LogTime time = LogTimeParser().Parse(text + rest);
    if (time.size == text.size() + std::string_view(rest).size()) return time;
  }
  constexpr int64_t kLeastMillis = 10'000'000'000;
  if (const std::optional<int64_t> number = ParseInteger(text); number && *number >= 0) {
    const int64_t ns = *number < kLeastMillis ? *number * kNanosPerSecond : *number * kNanosPerMilli;
    return LogTime{.size = text.size(), .time_ns = ns, .has_zone = true};
  }
  return Fail(
      fmt::format("{}: invalid time '{}'; use '2026-11-21 13:03:51', '26/11/21 13:03:51' or epoch ms", option, text));
}

}  // namespace

Result<LogFilter> LogFilter::Make(const LogFilterOptions& options, const LogZone& zone) {
  LogFilter filter;
  filter.zone_ = zone;
  if (!options.level.empty()) {
    filter.level_ = LogLevelOf(UpperCaseLevel(options.level));
    if (filter.level_ == LogLevel::kNone) {
      return Fail(
          fmt::format("--level: unknown level '{}'; use TRACE, DEBUG, INFO, WARN, ERROR or FATAL", options.level));
    }
  }
  filter.from_offset_ns_ = SinceStart(options.from);
  if (!options.from.empty() && !filter.from_offset_ns_) {
    const Result<LogTime> from = ParseTime("--from", options.from);
    if (!from) return tl::unexpected(from.error());
    filter.from_ns_ = MissingDates(zone, 0).ToUtc(*from);
    if (from->missing == MissingDate::kDate) filter.from_of_day_ = *from;
  }
  filter.to_offset_ns_ = SinceStart(options.to);
  if (!options.to.empty() && !filter.to_offset_ns_) {
    const Result<LogTime> to = ParseTime("--to", options.to);
    if (!to) return tl::unexpected(to.error());
    filter.to_ns_ = MissingDates(zone, 0).ToUtc(*to);
    if (to->missing == MissingDate::kDate) filter.to_of_day_ = *to;
  }
  if (!options.grep.empty()) {
    filter.grep_ = std::make_unique<RE2>(options.grep, RE2::Quiet);
    if (!filter.grep_->ok()) return Fail(fmt::format("--grep '{}': {}", options.grep, filter.grep_->error()));
  }
  if (options.stage) {
    // "stage 3.0", "ResultStage 3", "TaskSet 3.0"
    filter.stage_ = std::make_unique<RE2>(fmt::format(R"((?i)(?:stage|task ?set) {}(?:\.\d+)?\b)", *options.stage));
  }
  if (options.task) {
    // The last one is a thread's name, of Spark 2.2 to 3.0.
    filter.task_ = std::make_unique<RE2>(
        fmt::format(R"(\bTID (?:= )?{0}\b|\bGot assigned task {0}\b|\blaunch worker for task {0}$)", *options.task));
  }
  filter.takes_all_ = options.level.empty() && options.from.empty() && options.to.empty() && options.grep.empty() &&
                      !options.stage && !options.task;
  return filter;
}

bool LogFilter::IsOfStage(std::string_view text) {
  static const RE2 task(R"(\bTID (?:= )?(\d+)|\bGot assigned task (\d+))");
  const re2::StringPiece piece(text.data(), text.size());
  std::string tid, assigned;
  const bool has_task = RE2::PartialMatch(piece, task, &tid, &assigned);
  const int64_t id = has_task ? ParseInteger(tid.empty() ? assigned : tid).value_or(-1) : -1;
  if (RE2::PartialMatch(piece, *stage_)) {
    if (id >= 0) tasks_of_stage_.insert(id);
    return true;
  }
  return id >= 0 && tasks_of_stage_.contains(id);
}

void LogFilter::PlaceTimes(int64_t first_ns) {
  constexpr int64_t kDay = 86'400 * kNanosPerSecond;
  const auto place = [&](std::optional<LogTime>* time, int64_t latest_ns, int64_t* limit_ns) {
    if (*time) *limit_ns = MissingDates(zone_, latest_ns).ToUtc(**time);
    time->reset();
  };
  place(&from_of_day_, first_ns + kDay / 2, &from_ns_);
  place(&to_of_day_, first_ns + kDay - 1, &to_ns_);
  if (from_offset_ns_) from_ns_ = first_ns + *std::exchange(from_offset_ns_, std::nullopt);
  if (to_offset_ns_) to_ns_ = first_ns + *std::exchange(to_offset_ns_, std::nullopt);
}

bool LogFilter::Takes(const LogRecord& record) {
  if (takes_all_) return true;
  if (record.time_ns > 0) PlaceTimes(record.time_ns);
  const re2::StringPiece text(record.text.data(), record.text.size());
  const std::string_view first = record.text.substr(0, record.text.find('\n'));
  // Before anything else: it remembers.
  if (stage_ && !IsOfStage(first) && (record.thread.empty() || !IsOfStage(record.thread))) return false;
  if (record.level < level_ || record.time_ns < from_ns_ || record.time_ns > to_ns_) return false;
  if (task_ && !RE2::PartialMatch(re2::StringPiece(first.data(), first.size()), *task_) &&
      !RE2::PartialMatch(re2::StringPiece(record.thread.data(), record.thread.size()), *task_)) {
    return false;
  }
  return !grep_ || RE2::PartialMatch(text, *grep_);
}

}  // namespace sparkprof

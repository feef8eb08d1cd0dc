// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_filter.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/text.h"
#include "base/time.h"
#include "text_log/given_time.h"
#include "text_log/line_layout.h"
#include "text_log/missing_dates.h"

namespace sparkprof {

Result<LogFilter> LogFilter::Make(const LogFilterOptions& options, const LogZone& zone) {
  LogFilter filter;
  filter.zone_ = zone;
  if (!options.level.empty()) {
    filter.level_ = options.level.size() > 1 ? LogLevelOf(options.level) : LogLevel::kNone;
    if (filter.level_ == LogLevel::kNone) {
      return Fail(
          fmt::format("--level: unknown level '{}'; use TRACE, DEBUG, INFO, WARN, ERROR or FATAL", options.level));
    }
  }
  const auto read = [&zone](const char* option, const std::string& text, std::optional<int64_t>* offset_ns,
                            int64_t* limit_ns, std::optional<LogTime>* of_day) -> Result<void> {
    if (text.empty()) return {};
    const Result<GivenTime> given = ParseGivenTime(option, text, true);
    if (!given) return tl::unexpected(given.error());
    *offset_ns = given->duration_ns;
    if (given->duration_ns) return {};
    *limit_ns = MissingDates(zone, 0).ToUtc(given->time);
    if (given->time.missing == MissingDate::kDate) *of_day = given->time;
    return {};
  };
  const Result<void> from =
      read("--from", options.from, &filter.from_offset_ns_, &filter.from_ns_, &filter.from_of_day_);
  if (!from) return tl::unexpected(from.error());
  const Result<void> to = read("--to", options.to, &filter.to_offset_ns_, &filter.to_ns_, &filter.to_of_day_);
  if (!to) return tl::unexpected(to.error());
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

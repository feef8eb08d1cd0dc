// SPDX-License-Identifier: Apache-2.0
#include "history/application_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <tuple>

#include "base/text/text.h"
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

void WriteAttempt(const ListedAttempt& attempt, JsonWriter* json) {
  const int64_t end_ms = attempt.is_completed ? attempt.end_ms : -1;
  json->BeginObject();
  if (!attempt.id.empty()) json->Member("attemptId", attempt.id);
  json->Member("startTime", SparkTime(attempt.start_ms))
      .Member("endTime", SparkTime(end_ms))
      .Member("lastUpdated", SparkTime(attempt.updated_ms))
      .Member("duration", attempt.is_completed ? end_ms - attempt.start_ms : 0)
      .Member("sparkUser", attempt.user)
      .Member("completed", attempt.is_completed)
      .Member("appSparkVersion", attempt.spark_version)
      .Member("startTimeEpoch", attempt.start_ms)
      .Member("endTimeEpoch", end_ms)
      .Member("lastUpdatedEpoch", attempt.updated_ms)
      .EndObject();
}

void WriteApplication(const ListedApplication& application, JsonWriter* json) {
  json->BeginObject().Member("id", application.id).Member("name", application.name).Key("attempts").BeginArray();
  for (const ListedAttempt& attempt : application.attempts) WriteAttempt(attempt, json);
  json->EndArray().EndObject();
}

// Parses "2015-02-10" or "2015-02-03T16:42:40.000GMT" to ms.
std::optional<int64_t> ParseDate(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0, milli = 0;
  char zone[8] = "";
  const int read =
      std::sscanf(text.c_str(), "%d-%u-%uT%u:%u:%u.%u%7s", &year, &month, &day, &hour, &minute, &second, &milli, zone);
  if (read < 3) return std::nullopt;
  const std::string_view name = zone;
  if (read != 8 || (name != "GMT" && name != "UTC" && name != "Z")) hour = minute = second = milli = 0;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60'000 + second * int64_t{1000} + milli;
}

struct Range {
  int64_t min_ms = 0;
  int64_t max_ms = 0;

  bool Has(int64_t time_ms) const { return time_ms >= min_ms && time_ms <= max_ms; }
};

// The filter of a list, or an error answer.
struct Filter {
  Range start;
  Range end;
  bool completed = true;
  bool running = true;
  int64_t limit = INT32_MAX;
  std::optional<HistoryAnswer> refusal;
};

void ReadDate(HistoryParameters parameters, std::string_view name, std::string_view fallback, int64_t* time_ms,
              Filter* filter) {
  const std::string text = ValueOr(parameters, name, fallback);
  const std::optional<int64_t> time = ParseDate(text);
  if (!time) filter->refusal = HistoryAnswer{400, "Couldn't parse date: " + text};
  *time_ms = time.value_or(0);
}

Filter ReadFilter(HistoryParameters parameters) {
  Filter filter;
  ReadDate(parameters, "minDate", "2010-01-01", &filter.start.min_ms, &filter);
  ReadDate(parameters, "maxDate", "3000-01-01", &filter.start.max_ms, &filter);
  ReadDate(parameters, "minEndDate", "2010-01-01", &filter.end.min_ms, &filter);
  ReadDate(parameters, "maxEndDate", "3000-01-01", &filter.end.max_ms, &filter);
  const std::vector<std::string> statuses = ValuesOf(parameters, "status");
  if (!statuses.empty()) filter.completed = filter.running = false;
  for (const std::string& status : statuses) {
    const std::string lower = ToLowerAscii(status);
    if (lower == "completed") {
      filter.completed = true;
    } else if (lower == "running") {
      filter.running = true;
    } else {
      filter.refusal = NoSuchPath();
    }
  }
  const std::optional<int64_t> limit = IntegerOr(parameters, "limit", INT32_MAX);
  if (!limit) filter.refusal = NoSuchPath();
  filter.limit = limit.value_or(0);
  return filter;
}

// An application is running if its newest attempt is. It is listed if any attempt is in the range.
bool Selects(const Filter& filter, const ListedApplication& application, int64_t now_ms) {
  const bool is_running = application.attempts.empty() || !application.attempts.front().is_completed;
  if (!(is_running ? filter.running : filter.completed)) return false;
  return std::any_of(application.attempts.begin(), application.attempts.end(), [&](const ListedAttempt& attempt) {
    const bool end_fits = is_running ? filter.end.max_ms > now_ms : filter.end.Has(attempt.end_ms);
    return filter.start.Has(attempt.start_ms) && end_fits;
  });
}

auto OrderOf(const ListedApplication& application) {
  const bool is_running = application.attempts.empty() || !application.attempts.front().is_completed;
  return std::make_tuple(is_running ? -1 : application.attempts.front().end_ms, std::string_view(application.id));
}

}  // namespace

HistoryAnswer AnswerApplications(std::vector<ListedApplication> applications, HistoryParameters parameters,
                                 int64_t now_ms) {
  const Filter filter = ReadFilter(parameters);
  if (filter.refusal) return *filter.refusal;
  std::sort(applications.begin(), applications.end(),
            [](const ListedApplication& a, const ListedApplication& b) { return OrderOf(a) > OrderOf(b); });
  JsonWriter json;
  json.BeginArray();
  int64_t written = 0;
  for (const ListedApplication& application : applications) {
    if (written >= filter.limit) break;
    if (!Selects(filter, application, now_ms)) continue;
    WriteApplication(application, &json);
    ++written;
  }
  json.EndArray();
  return JsonAnswer(&json);
}

HistoryAnswer AnswerApplication(const ListedApplication* application, std::string_view id) {
  if (application == nullptr) return NotFound(fmt::format("unknown app: {}", id));
  JsonWriter json;
  WriteApplication(*application, &json);
  return JsonAnswer(&json);
}

HistoryAnswer AnswerAttempt(const ListedApplication* application, std::string_view id, std::string_view attempt) {
  if (application != nullptr) {
    for (const ListedAttempt& one : application->attempts) {
      if (one.id.empty() || one.id != attempt) continue;
      JsonWriter json;
      WriteAttempt(one, &json);
      return JsonAnswer(&json);
    }
  }
  return NotFound(fmt::format("unknown app {}, attempt {}", id, attempt));
}

}  // namespace sparkprof

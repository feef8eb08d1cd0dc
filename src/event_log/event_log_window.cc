// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/byte_source.h"
#include "base/io/line_reader.h"
#include "base/text/text.h"
#include "base/time.h"
#include "event_log/event_log_ends.h"
#include "event_log/event_log_parts.h"

namespace sparkprof {
namespace {

// The last time in complete lines; 0 = none.
int64_t LastTimeIn(std::string_view text, bool begins_with_line) {
  if (!begins_with_line) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return ReadEventLogTail(text.substr(0, text.rfind('\n') + 1)).end_ns;
}

int64_t FirstTimeIn(std::string_view text) {
  while (!text.empty()) {
    if (const int64_t time_ns = ReadEventLogTail(TakeLine(&text)).end_ns; time_ns > 0) return time_ns;
  }
  return 0;
}

int64_t FirstTimeFrom(const LogParts& parts, LogPlace place) {
  for (int64_t size = LogParts::kProbeBytes; size <= LogParts::kMaxProbeBytes; size *= LogParts::kLargerProbe) {
    if (const int64_t time_ns = FirstTimeIn(parts.Read(place, size)); time_ns > 0) return time_ns;
  }
  return 0;
}

int64_t LastTimeOf(const LogParts& parts) {
  for (size_t part = parts.Count(); part-- > 0;) {
    for (int64_t size = LogParts::kProbeBytes; size <= LogParts::kMaxProbeBytes; size *= LogParts::kLargerProbe) {
      const std::string tail = parts.Tail(part, size);
      const int64_t time_ns = LastTimeIn(tail, static_cast<int64_t>(tail.size()) < size);
      if (time_ns > 0) return time_ns;
      if (static_cast<int64_t>(tail.size()) < size) break;
    }
  }
  return 0;
}

// The last time in a probe from the position on, enlarged if it contains none; 0 = none.
int64_t LastTimeAfter(const LogParts& parts, LogPlace place) {
  for (int64_t size = LogParts::kProbeBytes; size <= LogParts::kMaxProbeBytes; size *= LogParts::kLargerProbe) {
    if (const int64_t time_ns = LastTimeIn(parts.Read(place, size), false); time_ns > 0) return time_ns;
  }
  return 0;
}

// Finds the last part that starts before the time. With entry points, the position precedes the first event after the
// time by less than two probes, or frames if they are longer.
LogPlace PlaceByTime(const LogParts& parts, int64_t since_ns) {
  LogPlace place{parts.Count() - 1, 0};
  while (place.part > 0) {
    const int64_t time_ns = FirstTimeIn(parts.Read(place, LogParts::kProbeBytes));
    if (time_ns != 0 && time_ns <= since_ns) break;
    --place.part;
  }
  if (!parts.IsEnterable(place.part)) return place;
  int64_t end = parts.StoredSize(place.part);
  while (end - place.offset > 1 && parts.Expanded(place.part, end - place.offset) > LogParts::kProbeBytes) {
    const int64_t middle = place.offset + (end - place.offset) / 2;
    const int64_t time_ns = LastTimeAfter(parts, {place.part, middle});
    (time_ns != 0 && time_ns < since_ns ? place.offset : end) = middle;
  }
  return place;
}

// Returns the error that ended the reading, if any.
std::optional<Error> AddAll(const Input& input, EventLogContext* context) {
  Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) return source.error();
  LineReader reader(std::move(*source));
  for (std::string_view lines = reader.Next(); !lines.empty(); lines = reader.Next()) context->Add(lines);
  return reader.SourceError();
}

// Fills `context`. Returns the number of stored bytes that were not searched. Sets `error` if the search ended early.
int64_t SearchBefore(const LogParts& parts, LogPlace place, const EventLogWindow& window, EventLogContext* context,
                     std::optional<Error>* error) {
  LogPlace begin;
  int64_t skipped = 0;
  if (parts.ExpandedBefore(place) > window.head_bytes + window.searched_bytes) {
    begin = parts.NextLine(parts.Back(place, window.searched_bytes));
    const std::string head = parts.Read({}, window.head_bytes);
    context->Add(std::string_view(head).substr(0, head.rfind('\n') + 1));
    context->Skip();
    skipped = parts.StoredBefore(begin) - (parts.IsPlain(0) ? window.head_bytes : 0);
  }
  *error = AddAll(parts.Between(begin, place), context);
  return std::max<int64_t>(0, skipped);
}

std::string NoteOf(const WindowedLog& log, int64_t not_searched) {
  std::string note = fmt::format("read from {} on: {} of {}. Of the {} before, ", FormatTimestamp(log.begin_ns),
                                 FormatBytes(log.read_bytes), FormatBytes(log.read_bytes + log.left_out_bytes),
                                 FormatBytes(log.left_out_bytes));
  if (not_searched > 0) note += fmt::format("{} were not read, and ", FormatBytes(not_searched));
  note += "only executors, queries and work that had not ended are kept";
  return note;
}

// Removes the rows in `gone`. Returns the new row of each old one, -1 for removed ones.
template <typename Rows>
std::vector<int32_t> RemoveRows(const std::vector<bool>& gone, Rows* rows) {
  std::vector<int32_t> moved(rows->size(), -1);
  size_t kept = 0;
  for (size_t row = 0; row < rows->size(); ++row) {
    if (gone[row]) continue;
    moved[row] = static_cast<int32_t>(kept);
    if (kept != row) (*rows)[kept] = std::move((*rows)[row]);
    ++kept;
  }
  rows->resize(kept);
  return moved;
}

void Move(const std::vector<int32_t>& moved, int32_t* row) {
  if (*row >= 0) *row = moved[static_cast<size_t>(*row)];
}

void RemoveExecutors(const EventLogContext::Doubtful& doubtful, Application* application) {
  std::vector<bool> gone;
  for (const Executor& executor : application->executors)
    gone.push_back(executor.remove_ns == 0 && doubtful.executors.contains(executor.id));
  for (const int32_t row : application->tasks.executor) {
    if (row >= 0) gone[static_cast<size_t>(row)] = false;
  }
  const std::vector<int32_t> moved = RemoveRows(gone, &application->executors);
  for (int32_t& row : application->tasks.executor) Move(moved, &row);
}

void RemoveStreamingQueries(const EventLogContext::Doubtful& doubtful, Application* application) {
  std::vector<bool> gone;
  for (const StreamingQuery& query : application->streaming_queries)
    gone.push_back(query.end_ns == 0 && doubtful.streaming_runs.contains(query.run_id));
  for (const StreamingBatch& batch : application->streaming_batches) gone[static_cast<size_t>(batch.query)] = false;
  const std::vector<int32_t> moved = RemoveRows(gone, &application->streaming_queries);
  for (StreamingBatch& batch : application->streaming_batches) Move(moved, &batch.query);
}

}  // namespace

WindowedLog WindowOf(const Input& log, const EventLogWindow& window) {
  WindowedLog whole{.input = log, .context = {}, .note = {}, .doubtful = {}};
  if (window.IsWhole() || log.parts.empty()) return whole;
  const LogParts parts(log);
  if (log.wrapping != LineWrapping::kNone || (parts.Count() == 1 && !parts.IsEnterable(0))) {
    whole.note = "read as a whole: reading can only begin in files that are plain, rolled, or compressed by Spark";
    return whole;
  }
  if (parts.ExpandedBefore(parts.End()) <= window.whole_bytes) return whole;
  LogPlace place;
  if (window.recent_ns > 0) {
    const int64_t last_ns = LastTimeOf(parts);
    if (last_ns == 0) {
      whole.note = "read as a whole: its last events have no time";
      return whole;
    }
    place = PlaceByTime(parts, last_ns - window.recent_ns);
  }
  if (window.recent_bytes > 0) place = std::max(place, parts.Back(parts.End(), window.recent_bytes));
  place = parts.NextLine(place);
  if (place == LogPlace{}) return whole;
  WindowedLog cut{.input = parts.Between(place, parts.End()), .context = {}, .note = {}, .doubtful = {}};
  cut.first = place;
  cut.begin_ns = FirstTimeFrom(parts, place);
  if (cut.begin_ns == 0) {
    whole.note = "read as a whole: events at the begin of the last part have no time";
    return whole;
  }
  cut.left_out_bytes = parts.StoredBefore(place);
  cut.read_bytes = parts.StoredBefore(parts.End()) - cut.left_out_bytes;
  EventLogContext context;
  std::optional<Error> error;
  const int64_t not_searched = SearchBefore(parts, place, window, &context, &error);
  cut.doubtful = context.DoubtfulOnes();
  cut.note = NoteOf(cut, not_searched);
  if (error) cut.note += fmt::format("; what is before was read only up to an error: {}", error->message);
  cut.context = context.Lines();
  cut.input.parts.insert(cut.input.parts.begin(),
                         {log.parts.front().path, [lines = cut.context]() -> Result<std::unique_ptr<ByteSource>> {
                            return StringSource(lines);
                          }});
  return cut;
}

void ShowWindow(const WindowedLog& log, Application* application) {
  if (log.begin_ns == 0) return;
  RemoveExecutors(log.doubtful, application);
  RemoveStreamingQueries(log.doubtful, application);
  application->Warn(
      log.begin_ns,
      fmt::format("Only the events from {} on were read, {} of {}; the application started at {}",
                  FormatTimestamp(log.begin_ns), FormatBytes(log.read_bytes),
                  FormatBytes(log.read_bytes + log.left_out_bytes), FormatTimestamp(application->start_ns)));
  application->start_ns = std::max(application->start_ns, log.begin_ns);
  application->complete = false;
}

}  // namespace sparkprof

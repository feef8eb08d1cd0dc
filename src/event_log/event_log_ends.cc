// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_ends.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "event_log/event_reader.h"
#include "inputs/content_kind.h"
#include "model/application.h"
#include "model/viewers.h"

namespace sparkprof {
namespace {

// Adds all events except those of single tasks, which are most of a log.
void AddWithoutTasks(std::string_view lines, EventReader* reader) {
  constexpr size_t kNameBytes = 40;  // {"Event":"SparkListenerTaskGettingResult"
  while (!lines.empty()) {
    const std::string_view line = TakeLine(&lines);
    const bool is_of_task = line.substr(0, kNameBytes).find("\"SparkListenerTask") != std::string_view::npos;
    // Not empty = another application starts.
    if (!is_of_task && !reader->AddLines(line).empty()) return;
  }
}

}  // namespace

Result<std::optional<EventLogHead>> ReadEventLogHead(ByteSource* log, const std::string& name) {
  Application application;
  EventReader reader(&application);
  std::string lines;
  for (size_t read = 0; application.start_ns == 0 && read < kMaxEventLogHeadBytes;) {
    std::optional<Error> error;
    const std::string more = ReadUpTo(log, kContentHeadBytes, &error);
    if (read == 0 && DetectContent(more, /*log_name=*/false).kind != InputKind::kEventLog) {
      if (error) return tl::unexpected(*error);
      return std::nullopt;
    }
    read += more.size();
    lines += more;
    const size_t complete = lines.rfind('\n') + 1;
    AddWithoutTasks(std::string_view(lines).substr(0, complete), &reader);
    lines.erase(0, complete);
    if (error && application.start_ns == 0) return tl::unexpected(*error);
    if (more.size() < kContentHeadBytes) break;
  }
  if (application.start_ns == 0) return Fail(name + ": no SparkListenerApplicationStart event");
  reader.Finish();
  std::string viewers = ViewersOf(application);
  return EventLogHead{std::move(application.id),   std::move(application.attempt),       std::move(application.name),
                      std::move(application.user), std::move(application.spark_version), application.start_ns,
                      std::move(viewers)};
}

EventLogTail ReadEventLogTail(std::string_view lines) {
  Application application;
  EventReader reader(&application);
  // Without an application end event, a task event may have the last time.
  if (lines.find("\"SparkListenerApplicationEnd\"") == std::string_view::npos) {
    reader.AddLines(lines);
  } else {
    AddWithoutTasks(lines, &reader);
  }
  reader.Finish();
  const auto last = std::max_element(application.jobs.begin(), application.jobs.end(),
                                     [](const Job& a, const Job& b) { return a.id < b.id; });
  const bool has_failed = last != application.jobs.end() && last->status == RunStatus::kFailed;
  return {application.ended, has_failed, application.end_ns};
}

}  // namespace sparkprof

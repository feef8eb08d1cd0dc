// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "inputs/inputs.h"

namespace sparkprof {

// The parts of an event log's file name (EventLogFileWriter.scala, EventLogFileCompactor.scala), without what browsers
// add to that of a second download: "eventlog (1)".
struct EventLogFileName {
  enum class Form : uint8_t {
    kSingle,      // APPLICATION[_ATTEMPT][.CODEC][.inprogress]
    kRolled,      // events_INDEX_APPLICATION[_ATTEMPT][.CODEC][.compact]
    kStatus,      // appstatus_APPLICATION[_ATTEMPT][.inprogress], and the markers of Spark 1.0 to 1.2
    kDatabricks,  // eventlog (the newest), eventlog-2021-06-15--15-00.gz
    kOld,         // EVENT_LOG_INDEX of Spark 1.0 to 1.2
  };
  Form form = Form::kSingle;
  std::string application_id;
  std::string attempt;
  std::string order;     // for kDatabricks: sorts by time
  int64_t index = 0;     // for kRolled and kOld
  bool compact = false;  // whether it replaces the files up to its index
  bool in_progress = false;
};
EventLogFileName ParseEventLogFileName(std::string_view file_name);

// The text of a JSON member; `key` includes the quotes: `"App ID"`. Empty if missing.
std::string TextAfter(std::string_view json, std::string_view key);

// The integer of a member of JSON.
std::optional<int64_t> NumberAfter(std::string_view json, std::string_view key);

// Whether the name does not show the application of a file that may be part of a log: then its first events do. False
// for files of Spark's rolled logs, eventlog_v2_APPLICATION/events_INDEX_APPLICATION.
bool IsApplicationInContent(std::string_view path);

// The application that an event log's first events start.
struct ApplicationStart {
  enum class State : uint8_t {
    kUnknown,    // undecided so far
    kBegins,     // SparkListenerApplicationStart precedes jobs, stages and tasks
    kContinues,  // jobs, stages or tasks come first: the file continues another one
  };
  State state = State::kUnknown;
  std::string id, attempt;  // for kBegins; empty if missing in the event
};
// `lines`: from the start of the log; the last line may be incomplete.
ApplicationStart FindApplicationStart(std::string_view lines);
// Reads as much of `log` (decompressed) as required. kUnknown if it cannot be read, or undecided after 32 MiB.
ApplicationStart ReadApplicationStart(ByteSource* log);

// Groups event logs: the files of a rolled log become one input with its parts in order, those of one application also
// from several folders if they are different parts; of the same part twice the larger file counts, a compacted file
// replaces those before it, both with a line in `notes`. Gaps in the numbers of parts are noted (Input::gap). A file
// that starts another application or attempt (see Input::begins_application) begins another log. Other inputs are
// unchanged.
void GroupEventLogs(std::vector<Input>* inputs, std::vector<std::string>* notes);

}  // namespace sparkprof

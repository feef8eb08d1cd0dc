// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/inputs.h"

namespace sparkprof {

// The parts of an event log's file name (EventLogFileWriter.scala, EventLogFileCompactor.scala).
struct EventLogFileName {
  enum class Form : uint8_t {
    kSingle,      // APPLICATION[_ATTEMPT][.CODEC][.inprogress]
    kRolled,      // events_INDEX_APPLICATION[_ATTEMPT][.CODEC][.compact]
    kStatus,      // appstatus_APPLICATION[_ATTEMPT][.inprogress]; and the markers of Spark 1.0 to 1.2
    kDatabricks,  // eventlog (the newest), eventlog-2021-06-15--15-00.gz
    kOld,         // EVENT_LOG_INDEX of Spark 1.0 to 1.2
  };
  Form form = Form::kSingle;
  std::string application_id;
  std::string attempt;
  std::string order;     // of kDatabricks: sorts by time
  int64_t index = 0;     // of kRolled and kOld
  bool compact = false;  // replaces the files up to its index
  bool in_progress = false;
};
EventLogFileName ParseEventLogFileName(std::string_view file_name);

// Groups event logs: the files of a rolled log in one folder become one input with its parts in order; a compacted file
// replaces those before it, with a line in `notes`. Other inputs are unchanged.
void GroupEventLogs(std::vector<Input>* inputs, std::vector<std::string>* notes);

}  // namespace sparkprof

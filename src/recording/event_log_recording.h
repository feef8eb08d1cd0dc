// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/segment.h"

namespace sparkprof {

// An event log, event by event, as blocks beside those of its application. The application is made of the others, which
// are smaller; these are for what replays the log as Spark does (history/). The role of their source is "event-log".

bool IsEventLogSource(const Source& source);

struct EventLogUpload {
  std::string application_id;
  std::string attempt;
  std::string name;
  std::string spark_version;
};

// Passes each block to `sink`, without secrets. A log that has grown since has the same blocks but the last one. Fails
// if the log is damaged; what is before the damage was passed on.
Result<void> WriteEventLogRecording(std::unique_ptr<ByteSource> log, const EventLogUpload& upload,
                                    const std::function<void(std::string_view block)>& sink);

// The event log of one attempt in recordings. Its blocks are in memory, compressed. Thread-safe once it is read.
class RecordedEventLog {
 public:
  static Result<RecordedEventLog> Read(const std::vector<std::string>& paths, const std::string& attempt);

  bool IsEmpty() const { return blocks_->empty(); }
  // Its lines.
  std::unique_ptr<ByteSource> Open() const;

 private:
  struct Block {
    int64_t end = 0;  // in the log
    std::string bytes;
  };
  using Blocks = std::map<uint64_t, Block>;  // by sequence

  explicit RecordedEventLog(Blocks blocks) : blocks_(std::make_shared<const Blocks>(std::move(blocks))) {}

  std::shared_ptr<const Blocks> blocks_;

  friend class EventLogLines;
};

}  // namespace sparkprof

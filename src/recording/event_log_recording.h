// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "model/segment/segment.h"

namespace sparkprof {

// Stores the events of an event log as blocks beside those of its application. The application is built from the other,
// smaller blocks; these are for replaying the log as Spark does (history/). The role of their source is "event-log".

bool IsEventLogSource(const Source& source);

struct EventLogUpload {
  std::string application_id;
  std::string attempt;
  std::string name;
  std::string spark_version;
};

// Redacts the events and passes each block to `sink`. After the log has grown, all blocks except the last are the same.
// Fails if the log is damaged, after passing on what precedes the damage.
Result<void> WriteEventLogRecording(std::unique_ptr<ByteSource> log, const EventLogUpload& upload,
                                    const std::function<void(std::string_view block)>& sink);

// The event log of one attempt in recordings. Its blocks are in memory, compressed. Thread-safe after Read.
class RecordedEventLog {
 public:
  static Result<RecordedEventLog> Read(const std::vector<std::string>& paths, const std::string& attempt);

  bool IsEmpty() const { return blocks_->empty(); }
  // Opens the log's lines.
  std::unique_ptr<ByteSource> Open() const;

 private:
  struct Block {
    int64_t end = 0;  // end position in the log
    std::string bytes;
  };
  using Blocks = std::map<uint64_t, Block>;  // by sequence number

  explicit RecordedEventLog(Blocks blocks) : blocks_(std::make_shared<const Blocks>(std::move(blocks))) {}

  std::shared_ptr<const Blocks> blocks_;

  friend class EventLogLines;
};

}  // namespace sparkprof

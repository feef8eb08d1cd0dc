// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text_log/message_pattern.h"

namespace sparkprof {

// The meaning of a Spark message. kOther: known wording without further use.
enum class MessageKind : uint8_t {
  kOther,
  kSparkVersion,
  kApplicationName,
  kApplicationId,
  kEventLog,
  kResourceProfile,
  kContainerRequest,
  kContextStopped,
  kStreamProgress,
  kStreamStopped,
  kJobStarting,
  kJobSubmitted,
  kFinalStage,
  kParentStages,
  kJobSucceeded,
  kJobFailed,
  kStageSubmitted,
  kTasksSubmitted,
  kTaskSetAdded,
  kTaskSetRemoved,
  kStageAborted,
  kStageSucceeded,
  kStageFailed,
  kTaskLaunched,
  kTaskSucceeded,
  kTaskLost,
  kTaskResultIgnored,
  kTaskSpeculatable,
  kTaskRunning,
  kTaskResultSent,
  kTaskException,
  kTaskKilled,
  kExecutorRegistered,
  kExecutorStarting,
  kExecutorGranted,
  kExecutorLost,
  kExecutorHeartbeatLost,
};

struct KnownMessage {
  MessageKind kind;
  std::string_view pattern;       // see MessagePattern
  const char* wording = nullptr;  // the template's text where several patterns are versions of one message
};

// The table: messages of Spark 1.x to 4.x, and of the libraries that log most. Within each group that starts with the
// same word, more specific ones are first.
std::span<const KnownMessage> EventMessages();  // those with a kind
extern const std::string_view kMessageTables;   // the others: the files in messages/

class MessageTable;
const MessageTable& AllMessages();  // both

// Finds a message in a table by its first bytes. Immutable after construction.
class MessageTable {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  explicit MessageTable(std::vector<KnownMessage> messages);

  // The row of the first matching wording, with its values; kNone if there is none.
  size_t Find(std::string_view message, MessageValues* values) const;

  // The first place in `line` where one of the longer wordings begins; false if there is none. `end` is npos where the
  // wording ends with a parameter.
  bool FindIn(std::string_view line, size_t* begin, size_t* end) const;

  const KnownMessage& Message(size_t row) const { return messages_[row]; }
  const MessagePattern& Pattern(size_t row) const { return patterns_[row]; }
  size_t Size() const { return messages_.size(); }

 private:
  static constexpr size_t kKeySize = 4;
  static constexpr size_t kBuckets = 4096;

  static uint32_t Bucket(const char* key);

  std::vector<KnownMessage> messages_;
  std::vector<MessagePattern> patterns_;
  std::array<std::vector<uint32_t>, kBuckets> buckets_;  // by the first kKeySize bytes
  std::vector<uint32_t> anywhere_;                       // rows that start with less than kKeySize literal bytes
};

}  // namespace sparkprof

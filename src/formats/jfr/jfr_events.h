// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_constants.h"
#include "formats/jfr/jfr_metadata.h"
#include "formats/jfr/jfr_plan.h"
#include "formats/jfr/jfr_reader.h"
#include "formats/jfr/jfr_stacks.h"

namespace sparkprof {

// Turns the event records of one chunk into calls of a handler.
class JfrEvents {
 public:
  JfrEvents(const JfrChunkHeader* header, const JfrMetadata* metadata, JfrPlanTable* plans, JfrConstants* constants,
            JfrStacks* stacks, StringTable* strings, JfrHandler* handler, bool* engine_is_wall);

  void Ignore(uint64_t type) {
    if (type < reader_by_type_.size()) reader_by_type_[type] = kNoReader;
  }

  // `cursor` is at the first field and ends with the record.
  void Read(uint64_t type, JfrCursor* cursor, JfrChunkStatus* status);

 private:
  struct Kind;
  // A type of this chunk that is used.
  struct Reader {
    const JfrPlan* plan = nullptr;
    void (JfrEvents::*emit)() = nullptr;
    const JfrEventName* other = nullptr;  // event for JfrHandler::OnOther
    JfrValues values;                     // only the plan's roles are ever set, the others stay 0
  };
  struct Thread {
    int64_t tid = 0;
    StringId name = 0;
  };
  static const Kind kKinds[];
  static constexpr int16_t kNoReader = -1;

  void EmitExecutionSample();
  void EmitNativeMethodSample();
  void EmitCpuTimeSample();
  void EmitWallClockSample();
  void EmitAllocationInNewTlab();
  void EmitAllocationOutsideTlab();
  void EmitAllocationSample();
  void EmitLiveObject();
  void EmitLock();
  void EmitPark();
  void EmitOther();
  void EmitNativeLock();
  void EmitMalloc();
  void EmitFree();
  void EmitMethodTrace();
  void EmitSpan();
  void EmitHeapSummary();
  void EmitSetting();

  int64_t Value(JfrRole role) const { return reader_->values[role]; }
  // A duration in ns; `default_unit` if the field does not specify one.
  int64_t Nanos(JfrRole role, JfrTimeUnit default_unit) const;
  std::string_view Text(JfrRole role, std::string* scratch);
  int64_t Epoch() const { return header_->TicksToEpoch(Value(JfrRole::kStartTime)); }
  Thread CurrentThread();
  ThreadState State();
  bool IsWallClock(ThreadState state) const;
  // A sample of the current record with time, thread and stack.
  JfrSample Sample(Event event);
  void EmitAllocation(int64_t weight);

  const JfrChunkHeader* header_;
  const JfrMetadata* metadata_;
  JfrPlanTable* plans_;
  JfrConstants* constants_;
  JfrStacks* stacks_;
  StringTable* strings_;
  JfrHandler* handler_;
  bool* engine_is_wall_;  // setting of async-profiler before 3.0, which is in the first chunk only
  bool has_default_state_ = false;

  JfrPool* thread_pool_;
  std::vector<Thread> threads_;      // JfrPool::Entry::resolved of a thread is a position here
  std::vector<ThreadState> states_;  // by key of jdk.types.ThreadState
  std::vector<int16_t> reader_by_type_;
  std::vector<Reader> readers_;
  Reader* reader_ = nullptr;  // reads the current record
  JfrChunkStatus* status_ = nullptr;
  std::string text_[2];
};

}  // namespace sparkprof

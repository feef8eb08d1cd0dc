// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/records/record_builder.h"
#include "formats/records/record_json.h"
#include "formats/records/stack_texts.h"

namespace sparkprof {

// A record of Uber's jvm-profiler (github.com/uber-common/jvm-profiler), of any of its seven profilers: CpuAndMemory,
// Stacktrace, ProcessInfo, IO, ThreadInfo, MethodDuration, MethodArgument. Its members determine the kind. Supports
// collectors and memory pools of any garbage collector, in any order.
class UberRecords {
 public:
  explicit UberRecords(RecordBuilder* builder);

  // False if it is not a record or lacks a required member.
  bool Add(const RecordJson& record);

 private:
  bool AddStack(const RecordJson& record);
  bool AddProcessInfo(const RecordJson& record);
  bool AddMethod(const RecordJson& record, int64_t epoch_ms);
  void AddNumbers(const RecordJson& record, uint32_t process, int64_t epoch_ms);
  void AddListValues(const RecordJson& record, uint32_t process, int64_t epoch_ms);
  void AddCollectors(const RecordJson& record, uint32_t process, int64_t epoch_ms);
  uint32_t ProcessOf(const RecordJson& record);

  RecordBuilder* builder_;
  StackTexts stack_texts_;
};

}  // namespace sparkprof

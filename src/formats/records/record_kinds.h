// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

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

// One record of the PySpark profilers of Phil's Stopwatch:
//   {"pid": 7510, "epochMillis": 1550397003812, "pmem_rss": 80871424, "pmem_vms": 4655525888, "cpu_percent": 100.0}
//   {"stacktrace":["job.py:inner:208", …, "runpy.py:_run_module_as_main:193"],"count":5772,"i_d":"8_id"}
// the stack leaf first, a frame being file:function:line, `i_d` the id of the RDD; those of our own classes end with
// "intervalMillis":100, the time between two samples. On Linux the cpu/mem record has
// other numbers besides; each becomes a curve.
class PySparkRecords {
 public:
  explicit PySparkRecords(RecordBuilder* builder);

  // False if it is not a record or lacks a required member.
  bool Add(const RecordJson& record);

  // A complete line with a stack that is not JSON: `"leaf",…,"root"<TAB>count<TAB>8_id`, as printed by show() of the
  // profilers, or a record with an unescaped quote or backslash in a path.
  bool AddUnquoted(std::string_view line);

  static bool LooksUnquoted(std::string_view line);

 private:
  bool AddStack(StackId stack, int64_t count, std::string_view rdd, double interval_ms);
  bool AddCpuMemory(const RecordJson& record);

  RecordBuilder* builder_;
  StackTexts stack_texts_;
};

// One line of criteo/babar's babar.log:
//   BABAR<TAB>container<TAB>METRIC<TAB>epoch ms<TAB>value<TAB>label
// where a CPU_TRACES line's value is a number of samples and its label `thread|root|…|leaf`, each frame
// class.method:line.
class BabarLines {
 public:
  explicit BabarLines(RecordBuilder* builder) : builder_(builder) {}

  // Start of the record in `line`, which may have a prefix; npos = not a record.
  static size_t Find(std::string_view line);

  // False if it is truncated or invalid.
  bool Add(std::string_view line);

 private:
  RecordBuilder* builder_;
};

}  // namespace sparkprof

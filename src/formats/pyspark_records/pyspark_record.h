// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "formats/records/record_builder.h"
#include "formats/records/record_json.h"
#include "formats/records/stack_texts.h"

namespace sparkprof {

// One record of the PySpark profilers of Phil's Stopwatch:
//   {"pid": 7510, "epochMillis": 1550397003812, "pmem_rss": 80871424, "pmem_vms": 4655525888, "cpu_percent": 100.0}
//   {"stacktrace":["job.py:inner:208", …, "runpy.py:_run_module_as_main:193"],"count":5772,"i_d":"8_id"}
// the stack leaf first, a frame being file:function:line, `i_d` the id of the RDD. On Linux the cpu/mem record has
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
  bool AddStack(StackId stack, int64_t count, std::string_view rdd);
  bool AddCpuMemory(const RecordJson& record);

  RecordBuilder* builder_;
  StackTexts stack_texts_;
};

}  // namespace sparkprof

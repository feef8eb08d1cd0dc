// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json_parser.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The JSON Lines of Python's sampling profiler (python -m profiling.sampling run --jsonl, since Python 3.15): records
// "meta", "str_def", "frame_def", "agg" and "end", one a line. The aggregate has the samples in each function, without
// its callers, so every stack is one frame. The event is that of the mode, with the interval as the weight of a sample.
class PythonSamplingReader {
 public:
  explicit PythonSamplingReader(ProfileBuilder* builder) : builder_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  void Begin(const simdjson::dom::object& record);
  bool DefineTexts(const simdjson::dom::object& record);
  bool DefineFrames(const simdjson::dom::object& record);
  bool AddSamples(const simdjson::dom::object& record);

  ProfileBuilder* builder_;
  JsonParser parser_;
  uint64_t line_number_ = 0;
  std::unordered_map<int64_t, StringId> texts_;  // by ID
  std::unordered_map<int64_t, FrameId> frames_;  // by ID
  std::optional<EventId> event_;                 // nothing before the first "meta"
  int64_t sample_ns_ = 0;                        // weight of a sample; 0 = it is counted
  bool is_whole_ = false;
};

}  // namespace sparkprof

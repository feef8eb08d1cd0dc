// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/samples/profile_builder.h"

namespace sparkprof {

// The measurements of an austin sample: a time in µs, a difference of memory in bytes, and whether the thread was idle.
// In the modes wall and cpu only the time is given, in the mode memory only the memory.
struct AustinMetrics {
  int64_t micros = 0;
  int64_t bytes = 0;
  bool is_idle = false;
};

// Converts austin's modes and metrics to events. wall and cpu: the time as that event, in ns. memory: "alloc" has
// memory that was allocated, "free" memory that was freed. full: all of them, cpu without idle samples.
class AustinSamples {
 public:
  explicit AustinSamples(ProfileBuilder* builder) : builder_(builder) {}

  // A line of the header: "mode: full".
  void SetMetadata(std::string_view key, std::string_view value);

  bool HasTime() const { return mode_ != kMemory; }
  bool HasAll() const { return mode_ == kFull; }

  // `thread` as austin has it: a number, possibly with the interpreter's before it ("0:1234").
  void Add(StackId stack, int64_t process, std::string_view thread, int base, const AustinMetrics& metrics);

  // A frame of Python code, or of native code if `file` is not a Python file.
  FrameId FrameOf(std::string_view file, std::string_view function, int64_t line);
  // Reported by austin instead of a frame: GC, INVALID.
  FrameId SpecialFrame(std::string_view name) { return builder_->AddFrame(name, FrameKind::kSynthetic); }

 private:
  enum Mode { kWall, kCpu, kMemory, kFull };

  EventId RowOf(Event event);

  ProfileBuilder* builder_;
  Mode mode_ = kWall;
  std::vector<EventId> rows_;  // by event; kNoEvent = no samples yet
};

}  // namespace sparkprof

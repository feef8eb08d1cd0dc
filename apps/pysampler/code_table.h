// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpython/frame_text.h"
#include "cpython/ring/ring.h"
#include "cpython/stack_walker.h"

namespace sparkprof {

// Receives each code ID of a CodeTable before the first frame that uses it.
class CodeSink {
 public:
  virtual ~CodeSink() = default;
  virtual void AddCode(uint32_t id, std::string_view function, std::string_view file, uint32_t first_line) = 0;
};

// Converts raw frames to lines and code IDs, which are reported to the sink on first use. Fixed size; does not
// allocate. Not thread-safe.
class CodeTable {
 public:
  static constexpr size_t kCodes = 8192;  // upper limit of IDs

  void Begin() { fresh_ = 0; }

  // Finds the frame for `raw`; reports new code to the sink. Returns false if its text is unreadable.
  bool Find(const CPythonLayout& layout, PythonMemory* memory, const RawFrame& raw, CodeSink* sink, RingFrame* frame);

  // Keeps or drops the entries that Find added since Begin.
  void End(bool published);

  // Drops all IDs: the addresses of freed code objects may be reused.
  void Clear();

  // Number of Clears; IDs from earlier generations may refer to other code.
  uint32_t Generation() const { return generation_; }

  // Clear must be called before the next stack.
  bool IsFull() const { return used_ + kMaxFrames > kCodes; }

 private:
  static constexpr size_t kLines = 16384;

  struct Code {
    uint64_t code = 0;  // 0 = unused slot
    uint64_t name = 0;
    uint64_t filename = 0;
    uint64_t line_table = 0;
    int32_t first_line = 0;
  };
  struct Line {
    uint64_t code = 0;
    uint64_t line_table = 0;
    int32_t instruction = 0;
    uint32_t line = 0;
  };

  size_t SlotOf(const RawFrame& raw) const;

  Code codes_[kCodes];  // a slot's position is the code's ID
  Line lines_[kLines];  // latest entry per hash
  uint16_t fresh_slots_[kMaxFrames];
  size_t fresh_ = 0;
  size_t used_ = 0;
  uint32_t generation_ = 0;
  FrameReader reader_;
};

}  // namespace sparkprof

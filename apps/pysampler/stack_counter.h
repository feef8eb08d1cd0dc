// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "code_table.h"
#include "cpython/ring/ring.h"

namespace sparkprof {

// Counts stacks in a fixed amount of memory; stacks that do not fit are counted together. Does not allocate. Not
// thread-safe.
class StackCounter : public CodeSink {
 public:
  void AddCode(uint32_t id, std::string_view function, std::string_view file, uint32_t first_line) override;

  // `frames`: leaf first, with codes that were added.
  void Add(const RingFrame* frames, size_t depth);

  size_t Stacks() const { return stacks_used_; }
  // Number of stacks that did not fit.
  uint64_t Others() const { return others_; }
  uint64_t Count(size_t stack) const { return stacks_[stack].count; }
  // Writes "file:function:line" and a NUL byte per frame, leaf first, truncated to `size`. Returns the complete length.
  size_t Text(size_t stack, char* buffer, size_t size) const;

  // Drops the stacks but keeps the codes.
  void ClearStacks();
  // Drops the stacks and the codes.
  void Clear();
  bool IsHalfFull() const { return texts_used_ > kTexts / 2 || text_used_ > kTextBytes / 2; }  // table of codes

 private:
  static constexpr size_t kTextBytes = 1 << 20;
  static constexpr size_t kTexts = 16384;
  static constexpr size_t kFrames = 1 << 18;
  static constexpr size_t kStacks = 16384;
  static constexpr size_t kSlots = 2 * kStacks;

  // Function and file of a code. Equal texts of different code objects share an entry, so a function recreated for each
  // batch is one function.
  struct CodeText {
    uint32_t begin;  // position in text_: function, then file
    uint16_t function_size;
    uint16_t file_size;
  };
  struct Stack {
    uint64_t hash;
    uint64_t count;
    uint32_t begin;  // position in frames_
    uint32_t depth;
  };

  uint32_t FindText(std::string_view function, std::string_view file);

  // Written before it is read; unused memory is never touched.
  char text_[kTextBytes];
  CodeText texts_[kTexts];
  RingFrame frames_[kFrames];  // their codes are positions in texts_
  Stack stacks_[kStacks];
  size_t text_used_ = 0;
  size_t texts_used_ = 0;
  size_t frames_used_ = 0;
  size_t stacks_used_ = 0;
  uint64_t others_ = 0;

  // Positions plus 1; 0 = none.
  uint32_t text_slots_[2 * kTexts] = {};
  uint32_t text_of_code_[CodeTable::kCodes] = {};
  uint32_t slots_[kSlots] = {};  // positions in stacks_
};

}  // namespace sparkprof

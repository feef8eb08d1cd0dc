// SPDX-License-Identifier: Apache-2.0
#include "code_table.h"

#include "base/hash_index.h"

namespace sparkprof {

size_t CodeTable::SlotOf(const RawFrame& raw) const {
  size_t slot = MixHash(raw.code) % kCodes;
  const auto is_same = [&](const Code& code) {
    return code.code == raw.code && code.name == raw.name && code.filename == raw.filename &&
           code.line_table == raw.line_table && code.first_line == raw.first_line;
  };
  while (codes_[slot].code != 0 && !is_same(codes_[slot])) slot = (slot + 1) % kCodes;
  return slot;
}

bool CodeTable::Find(const CPythonLayout& layout, PythonMemory* memory, const RawFrame& raw, CodeSink* sink,
                     RingFrame* frame) {
  const size_t slot = SlotOf(raw);
  Line& line = lines_[MixHash(raw.code ^ static_cast<uint64_t>(raw.instruction) << 44) % kLines];
  const bool is_new = codes_[slot].code == 0;
  const bool knows_line =
      line.code == raw.code && line.line_table == raw.line_table && line.instruction == raw.instruction;
  if (is_new || !knows_line) {
    FrameReader::Text text;
    if (!reader_.Read(layout, memory, raw, &text)) return false;
    line = {raw.code, raw.line_table, raw.instruction, static_cast<uint32_t>(text.line)};
    if (is_new) {
      if (fresh_ == kMaxFrames) return false;
      codes_[slot] = {raw.code, raw.name, raw.filename, raw.line_table, raw.first_line};
      fresh_slots_[fresh_++] = static_cast<uint16_t>(slot);
      ++used_;
      const auto first_line = static_cast<uint32_t>(text.first_line < 0 ? 0 : text.first_line);
      sink->AddCode(static_cast<uint32_t>(slot), text.function, text.file, first_line);
    }
  }
  *frame = {static_cast<uint32_t>(slot), line.line};
  return true;
}

void CodeTable::End(bool published) {
  // Slots cannot be removed from an open-addressing table, so clears it and reports all codes again.
  if (!published && fresh_ > 0) Clear();
  fresh_ = 0;
}

void CodeTable::Clear() {
  for (Code& code : codes_) code.code = 0;
  for (Line& line : lines_) line.code = 0;
  used_ = 0;
  fresh_ = 0;
  ++generation_;
}

}  // namespace sparkprof

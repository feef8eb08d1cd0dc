// SPDX-License-Identifier: Apache-2.0
#include "capture/cpython/stack_walker.h"

#include <algorithm>
#include <cstring>

namespace sparkprof {
namespace {

constexpr int kAttempts = 3;
// So many samples in a row must end at a frame before it counts as the thread's base.
constexpr int kSeenForBase = 3;
constexpr uint8_t kOwnedByGenerator = 1;
// Longer chains are a circle: CPython's own limit on recursion is far below unless somebody raised it.
constexpr size_t kMaxChain = 100'000;
constexpr size_t kLargestThread = 4096;
constexpr size_t kLargestFrame = 256;
constexpr size_t kLargestCode = 512;
constexpr int64_t kLargestInstruction = 1 << 26;
// The data stack may have grown by so much when the next sample is taken.
constexpr uint64_t kStackGrowth = 2048;
constexpr uint64_t kChunkHeader = 24;

template <typename T>
T At(const char* bytes, uint32_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

// 3.14 keeps marks in the low bits of references.
uint64_t Untagged(uint64_t reference) { return reference & ~uint64_t{7}; }

}  // namespace

uint64_t StackWalker::Interpreter() {
  uint64_t interpreter = 0;
  return ReadPointer(runtime_ + layout_.interpreters_head, &interpreter) ? interpreter : 0;
}

size_t StackWalker::ListThreads(uint64_t* threads, size_t capacity) {
  const uint64_t interpreter = Interpreter();
  uint64_t thread = 0;
  if (interpreter == 0 || !ReadPointer(interpreter + layout_.threads_head, &thread)) return 0;
  size_t count = 0;
  while (thread != 0 && count < capacity) {
    uint64_t owner = 0;
    if (!ReadPointer(thread + layout_.thread_interpreter, &owner) || owner != interpreter) break;
    threads[count++] = thread;
    if (!ReadPointer(thread + layout_.thread_next, &thread)) break;
  }
  return count;
}

uint64_t StackWalker::GilHolder() {
  uint64_t holder = 0;
  if (layout_.current_thread != 0) return ReadPointer(runtime_ + layout_.current_thread, &holder) ? holder : 0;
  if (layout_.gil_holder == 0) return 0;
  uint64_t gil = Interpreter();
  if (gil == 0) return 0;
  if (layout_.gil_pointer != 0 && !ReadPointer(gil + layout_.gil_pointer, &gil)) return 0;
  int32_t locked = 0;
  if (!memory_->Read(gil + layout_.gil_locked, &locked, sizeof locked) || locked == 0) return 0;
  return ReadPointer(gil + layout_.gil_holder, &holder) ? holder : 0;
}

uint64_t StackWalker::CodeGeneration() {
  uint64_t generation = 0;
  if (layout_.code_generation == 0) return 0;
  const uint64_t interpreter = Interpreter();
  return interpreter != 0 && ReadPointer(interpreter + layout_.code_generation, &generation) ? generation : 0;
}

bool StackWalker::TopFrame(const char* thread_bytes, uint64_t* frame) {
  *frame = At<uint64_t>(thread_bytes, layout_.thread_frame);
  if (!layout_.has_cframe) return true;
  return *frame != 0 && ReadPointer(*frame + layout_.cframe_frame, frame);
}

void StackWalker::ExpectStack(const char* thread_bytes) {
  if (layout_.stack_chunk == 0) return;
  const auto chunk = At<uint64_t>(thread_bytes, layout_.stack_chunk);
  const auto top = At<uint64_t>(thread_bytes, layout_.stack_chunk + 8);
  uint64_t header[3];  // previous, size, top
  if (chunk == 0 || top < chunk + kChunkHeader || !memory_->Read(chunk, header, sizeof header)) return;
  const uint64_t size = header[1];
  if (size > (64 << 20) || top - chunk > size) return;
  memory_->Expect(chunk, std::min(top - chunk + kStackGrowth, size));
}

WalkResult StackWalker::Walk(uint64_t thread, RawStack* stack) {
  WalkResult result = WalkResult::kTorn;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    if (attempt > 1) memory_->BeginSample();
    result = WalkOnce(thread, stack, attempt);
    if (result == WalkResult::kGood || result == WalkResult::kEmpty) return result;
  }
  return result;
}

WalkResult StackWalker::WalkOnce(uint64_t thread, RawStack* stack, int attempt) {
  char bytes[kLargestThread];
  stack->thread = thread;
  stack->depth = 0;
  stack->truncated = false;
  if (!memory_->Read(thread, bytes, layout_.thread_size)) return WalkResult::kUnreadable;
  stack->thread_id = At<uint64_t>(bytes, layout_.thread_id);
  stack->native_id = layout_.native_id == 0 ? 0 : At<int64_t>(bytes, layout_.native_id);
  uint64_t top = 0;
  if (!TopFrame(bytes, &top)) return WalkResult::kUnreadable;
  ExpectStack(bytes);
  if (top == 0) return WalkResult::kEmpty;

  uint64_t last = 0;
  uint64_t frame = top;
  for (size_t length = 0; frame != 0; ++length) {
    if (length == kMaxChain) return WalkResult::kTorn;
    RawFrame found;
    bool is_python = false;
    uint64_t previous = 0;
    const WalkResult result = ReadFrame(frame, &found, &is_python, &previous);
    if (result != WalkResult::kGood || previous == frame)
      return result == WalkResult::kGood ? WalkResult::kTorn : result;
    if (is_python) {
      if (stack->depth < kMaxFrames) {
        stack->frames[stack->depth++] = found;
      } else {
        stack->truncated = true;
      }
    }
    last = frame;
    frame = previous;
  }
  if (!EndsAtBase(thread, last, attempt == 1)) return WalkResult::kTorn;
  if (attempt < kAttempts) {
    // The thread has gone on: frames may have been used again between two reads.
    uint64_t top_now = 0;
    char again[kLargestThread];
    if (!memory_->ReadOnce(thread, again, layout_.thread_size)) return WalkResult::kUnreadable;
    top_now = At<uint64_t>(again, layout_.thread_frame);
    if (layout_.has_cframe && !memory_->ReadOnce(top_now + layout_.cframe_frame, &top_now, sizeof top_now)) {
      return WalkResult::kUnreadable;
    }
    if (top_now != top) return WalkResult::kTorn;
  }
  return stack->depth == 0 ? WalkResult::kEmpty : WalkResult::kGood;
}

WalkResult StackWalker::ReadFrame(uint64_t address, RawFrame* frame, bool* is_python, uint64_t* previous) {
  char bytes[kLargestFrame];
  if (!memory_->Read(address, bytes, layout_.frame_size)) return WalkResult::kUnreadable;
  *previous = At<uint64_t>(bytes, layout_.frame_previous);
  const auto owner = layout_.frame_owner == 0 ? uint8_t{0} : At<uint8_t>(bytes, layout_.frame_owner);
  if (owner >= layout_.first_foreign_owner) return WalkResult::kGood;
  // Who resumed a generator lies above it: its frame ends no stack but while it is being suspended.
  if (owner == kOwnedByGenerator && *previous == 0) return WalkResult::kTorn;
  frame->code = Untagged(At<uint64_t>(bytes, layout_.frame_code));
  char code[kLargestCode];
  if (!memory_->Read(frame->code, code, layout_.code_size)) return WalkResult::kTorn;
  if (code_type_ != 0 && At<uint64_t>(code, layout_.object_type) != code_type_) return WalkResult::kTorn;
  frame->filename = At<uint64_t>(code, layout_.code_filename);
  frame->name = At<uint64_t>(code, layout_.code_qualname != 0 ? layout_.code_qualname : layout_.code_name);
  frame->line_table = At<uint64_t>(code, layout_.code_line_table);
  frame->first_line = At<int32_t>(code, layout_.code_first_line);
  int64_t instruction = 0;
  if (layout_.instruction_is_index) {
    instruction = int64_t{At<int32_t>(bytes, layout_.frame_instruction)} * layout_.instruction_scale;
  } else {
    instruction =
        static_cast<int64_t>(At<uint64_t>(bytes, layout_.frame_instruction) - frame->code) - layout_.code_instructions;
  }
  // Before its first instruction a frame's is -1; a free-threaded 3.14 runs a copy of the code.
  frame->instruction = instruction < 0 || instruction > kLargestInstruction ? -1 : static_cast<int32_t>(instruction);
  *is_python = true;
  return WalkResult::kGood;
}

bool StackWalker::EndsAtBase(uint64_t thread, uint64_t last_frame, bool is_new_sample) {
  Base* base = &bases_[(thread >> 4) % kBases];
  if (base->thread != thread) *base = {thread, 0, 0, 0};
  if (base->frame == last_frame) {
    base->candidate = 0;
    return true;
  }
  if (base->candidate != last_frame) {
    base->candidate = last_frame;
    base->seen = 0;
  }
  if (is_new_sample) ++base->seen;
  if (base->seen < kSeenForBase) return false;
  base->frame = last_frame;
  base->candidate = 0;
  return true;
}

}  // namespace sparkprof

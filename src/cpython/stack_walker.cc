// SPDX-License-Identifier: Apache-2.0
#include "cpython/stack_walker.h"

#include <algorithm>
#include <cstring>

#include "base/hash_index.h"

namespace sparkprof {
namespace {

// An attempt takes a few microseconds. Typical programs need one or two. A program that only calls functions, on its
// own core, changes its stack faster than it can be read, and needs many.
constexpr int kAttempts = 128;
constexpr uint8_t kOwnedByThread = 0;
constexpr uint8_t kOwnedByGenerator = 1;
// Longer chains are cycles: CPython's default recursion limit is far lower.
constexpr size_t kMaxChain = 100'000;
constexpr size_t kLargestFrame = 256;
constexpr size_t kLargestCode = 512;
constexpr int64_t kLargestInstruction = 1 << 26;
// Allowance for growth of the data stack until the next sample.
constexpr uint64_t kStackGrowth = 2048;
// struct _PyStackChunk: previous, size, top, then the data; the oldest chunk skips its first word.
constexpr uint64_t kChunkHeader = 24;
constexpr uint64_t kFirstFrame = kChunkHeader + 8;
// A chunk is at least 16 KiB.
constexpr int kMaxChunks = 4096;

template <typename T>
T At(const char* bytes, uint32_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

// 3.14 stores tags in the low bits of references.
uint64_t Untagged(uint64_t reference) { return reference & ~uint64_t{7}; }

}  // namespace

uint64_t StackWalker::Interpreter() {
  uint64_t interpreter = 0;
  const uint64_t head = runtime_ + layout_.interpreters_head;
  return memory_->ReadStable(head, &interpreter, sizeof interpreter) ? interpreter : 0;
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
  if (layout_.gil_pointer != 0 && !memory_->ReadStable(gil + layout_.gil_pointer, &gil, sizeof gil)) return 0;
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

// Address of the frame of the thread's first Python function; 0 = unreadable.
uint64_t StackWalker::BaseFrame(const char* thread_bytes) {
  auto chunk = At<uint64_t>(thread_bytes, layout_.stack_chunk);
  for (int i = 0; i < kMaxChunks && chunk != 0; ++i) {
    uint64_t previous = 0;
    if (!ReadPointer(chunk, &previous)) return 0;
    if (previous == 0) return chunk + kFirstFrame;
    chunk = previous;
  }
  return 0;
}

WalkResult StackWalker::Walk(uint64_t thread, RawStack* stack) {
  WalkResult result = WalkResult::kTorn;
  uint64_t shape = 0, callers = 0;  // from the previous read; 0 = it was torn
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt % 2 == 1) memory_->LookAgain();
    if (attempt > 0 && attempt % 2 == 0) memory_->BeginSample();
    if (result == WalkResult::kGood && StillRuns(*stack) && ReadCodes(stack)) return result;
    result = ReadFrames(thread, stack, attempt == 0);
    if (result == WalkResult::kEmpty) return result;
    if (result != WalkResult::kGood) {
      shape = callers = 0;
      continue;
    }
    // All frames were present in the previous read: the stack is unchanged, or one function has returned.
    if ((stack->shape == shape || stack->shape == callers) && ReadCodes(stack)) return result;
    shape = stack->shape;
    callers = stack->callers;
  }
  return result == WalkResult::kGood ? WalkResult::kTorn : result;
}

// Reads only the changing parts, to be as fast as possible.
WalkResult StackWalker::ReadFrames(uint64_t thread, RawStack* stack, bool expect) {
  char* const bytes = thread_bytes_;
  stack->thread = thread;
  stack->depth = 0;
  stack->truncated = false;
  stack->shape = stack->callers = 1;
  if (!memory_->Read(thread, bytes, layout_.thread_size)) return WalkResult::kUnreadable;
  stack->thread_id = At<uint64_t>(bytes, layout_.thread_id);
  stack->native_id = layout_.native_id == 0 ? 0 : At<int64_t>(bytes, layout_.native_id);
  uint64_t address = 0;
  if (!TopFrame(bytes, &address)) return WalkResult::kUnreadable;
  if (address == 0) return WalkResult::kEmpty;
  if (expect) ExpectStack(bytes);

  uint64_t oldest = 0, newest = 0, mark = 0;
  size_t length = 0, next_mark = 32;
  for (; address != 0; ++length) {
    // Frames that were freed and reused meanwhile may form a cycle.
    if (address == mark) return WalkResult::kTorn;
    if (length == next_mark) {
      mark = address;
      next_mark *= 2;
    }
    char frame[kLargestFrame];
    if (length == kMaxChain) return WalkResult::kTorn;
    if (!memory_->Read(address, frame, layout_.frame_size)) return WalkResult::kUnreadable;
    const auto previous = At<uint64_t>(frame, layout_.frame_previous);
    const auto code = Untagged(At<uint64_t>(frame, layout_.frame_code));
    const auto owner = layout_.frame_owner == 0 ? uint8_t{0} : At<uint8_t>(frame, layout_.frame_owner);
    // The caller that resumed a generator is below it; its frame ends a stack only while it is being suspended.
    if (previous == address || (owner == kOwnedByGenerator && previous == 0)) return WalkResult::kTorn;
    // A frame that is not running no longer belongs to a stack, unless it is the top frame, which is being called or
    // left.
    if (layout_.frame_state != 0 && (length > 0 || previous == 0) && !Runs(frame)) return WalkResult::kTorn;
    stack->shape = MixHash(stack->shape ^ address) ^ code;
    if (length > 0) stack->callers = MixHash(stack->callers ^ address) ^ code;
    // Since 3.12, the loop has its own frame below its first one.
    if (owner >= layout_.first_foreign_owner && stack->depth > 0 && !stack->truncated) {
      stack->is_entry[stack->depth - 1] = true;
    }
    if (owner < layout_.first_foreign_owner) {
      oldest = address;
      if (newest == 0 && owner == kOwnedByThread) newest = address;
      if (stack->depth < kMaxFrames) {
        stack->is_entry[stack->depth] = IsEntry(frame);
        RawFrame& raw = stack->frames[stack->depth++];
        raw.code = code;
        raw.instruction = InstructionOf(frame, code);
        addresses_[stack->depth - 1] = address;
      } else {
        stack->truncated = true;
      }
    }
    address = previous;
  }
  if (stack->depth == 0) return WalkResult::kEmpty;
  if (layout_.stack_chunk == 0) return WalkResult::kGood;
  const auto chunk = At<uint64_t>(bytes, layout_.stack_chunk);
  const auto end = At<uint64_t>(bytes, layout_.stack_chunk + 8);
  return newest > chunk && newest < end && oldest == BaseFrame(bytes) ? WalkResult::kGood : WalkResult::kTorn;
}

// Whether all frames are still running with the same callers, regardless of frames above them. Up to 3.10, which has a
// flag per frame.
bool StackWalker::StillRuns(const RawStack& stack) {
  if (layout_.frame_state == 0 || stack.truncated) return false;
  for (size_t i = 0; i < stack.depth; ++i) {
    char frame[kLargestFrame];
    if (!memory_->Read(addresses_[i], frame, layout_.frame_size)) return false;
    const uint64_t caller = i + 1 < stack.depth ? addresses_[i + 1] : 0;
    if (At<uint64_t>(frame, layout_.frame_previous) != caller) return false;
    if (Untagged(At<uint64_t>(frame, layout_.frame_code)) != stack.frames[i].code || !Runs(frame)) return false;
  }
  return true;
}

// Up to 3.10, each function has its own call.
bool StackWalker::IsEntry(const char* frame) const {
  if (layout_.frame_state != 0) return true;
  return layout_.frame_is_entry != 0 && At<uint8_t>(frame, layout_.frame_is_entry) != 0;
}

bool StackWalker::Runs(const char* frame) const {
  const auto state = At<int8_t>(frame, layout_.frame_state);
  return state == layout_.state_running || state == layout_.state_unwinding;
}

int32_t StackWalker::InstructionOf(const char* frame, uint64_t code) const {
  int64_t instruction = 0;
  if (layout_.instruction_is_index) {
    instruction = int64_t{At<int32_t>(frame, layout_.frame_instruction)} * layout_.instruction_scale;
  } else {
    instruction =
        static_cast<int64_t>(At<uint64_t>(frame, layout_.frame_instruction) - code) - layout_.code_instructions;
  }
  // The value is -1 before a frame's first instruction; free-threaded 3.14 runs a copy of the code.
  return instruction < 0 || instruction > kLargestInstruction ? -1 : static_cast<int32_t>(instruction);
}

// Reads the frames' code objects, which the frames keep alive.
bool StackWalker::ReadCodes(RawStack* stack) {
  char code[kLargestCode];
  for (size_t i = 0; i < stack->depth; ++i) {
    RawFrame& raw = stack->frames[i];
    if (!memory_->ReadStable(raw.code, code, layout_.code_size)) return false;
    if (code_type_ != 0 && At<uint64_t>(code, layout_.object_type) != code_type_) return false;
    raw.filename = At<uint64_t>(code, layout_.code_filename);
    raw.name = At<uint64_t>(code, layout_.code_qualname != 0 ? layout_.code_qualname : layout_.code_name);
    raw.line_table = At<uint64_t>(code, layout_.code_line_table);
    raw.first_line = At<int32_t>(code, layout_.code_first_line);
  }
  return true;
}

}  // namespace sparkprof

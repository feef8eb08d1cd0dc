// SPDX-License-Identifier: Apache-2.0
#include "native_stacks.h"

#include <sys/auxv.h>

#include <cstring>

#include "base/hash_index.h"
#include "own_python.h"
#include "unwind/machine_code.h"

namespace sparkprof {
namespace {

constexpr uint64_t kUnknownKey = 1;  // no code has this address

// Number of Follow calls after which an unloaded library is detected.
constexpr uint32_t kFollowEvery = 100;

}  // namespace

uint32_t NativeCodes::Find(const NativeFrame& frame, RingWriter* ring) {
  const bool is_known = frame.object != nullptr;
  const uint64_t address = frame.function != 0 ? frame.function : frame.pc;
  const uint64_t key = is_known ? address : kUnknownKey;
  size_t slot = MixHash(key) % kCodes;
  while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) % kCodes;
  const auto code = static_cast<uint32_t>(kFirst + slot);
  if (keys_[slot] == key) return code;
  keys_[slot] = key;
  ++used_;
  ++fresh_;
  ring->AddNativeCode(code, is_known ? address - frame.object->bias : 0, is_known ? frame.object->path : "");
  return code;
}

void NativeCodes::Clear() {
  std::memset(keys_, 0, sizeof keys_);
  used_ = fresh_ = 0;
  ++generation_;
}

const char* NativeStacks::Start() {
  loop_ = AddressOf("_PyEval_EvalFrameDefault");
  c_library_ = AddressOf("__libc_start_main");
  program_ = getauxval(AT_ENTRY);
  if (loop_ == 0) return "this Python does not export _PyEval_EvalFrameDefault";
  objects_.Refresh();
  const LoadedObject* const interpreter = objects_.Find(loop_);
  // With profile-guided optimization for another program, most of the loop may be in its cold part.
  if (interpreter != nullptr) cold_loop_ = FindColdPart(interpreter->index, loop_, this);
  if (!captures_.Install()) return "the process uses SIGURG and SIGWINCH itself";
  return nullptr;
}

void NativeStacks::Follow() {
  if (!misses_object_ && follows_++ % kFollowEvery != 0) return;
  misses_object_ = false;
  if (!objects_.Refresh()) return;
  unwinder_.Forget();
  codes_.Clear();
}

NativeKind NativeStacks::KindOf(const NativeFrame& frame) const {
  const auto contains = [&](uint64_t address) {
    return frame.object != nullptr && address >= frame.object->begin && address < frame.object->end;
  };
  if (frame.function != 0 && (frame.function == loop_ || frame.function == cold_loop_)) return NativeKind::kLoop;
  if (contains(loop_)) return NativeKind::kInterpreter;
  return contains(c_library_) || contains(program_) ? NativeKind::kStart : NativeKind::kCode;
}

void NativeStacks::Add(RingFrame frame, NativeKind kind) {
  frames_[depth_] = frame;
  kinds_[depth_++] = kind;
}

void NativeStacks::Unwind(RingWriter* ring) {
  unwinder_.Unwind(captured_->registers(), &stack_);
  depth_ = 0;
  is_guessed_ = false;
  for (size_t i = 0; i < stack_.depth; ++i) {
    const NativeFrame& frame = stack_.frames[i];
    misses_object_ = misses_object_ || frame.object == nullptr;
    if (frame.is_guessed) {
      is_guessed_ = true;
      Add(Unknown(ring), NativeKind::kCode);
    }
    const NativeKind kind = KindOf(frame);
    const bool is_shown = kind == NativeKind::kCode || kind == NativeKind::kStart;
    Add({is_shown ? codes_.Find(frame, ring) : 0, 0}, kind);
  }
}

void NativeStacks::Merge(const StackCapture& captured, BothStacks both, RingWriter* ring, MergedStack* merged) {
  captured_ = &captured;
  Unwind(ring);
  both.native = frames_;
  both.kinds = kinds_;
  both.native_depth = depth_;
  both.native_is_complete = stack_.end == UnwindEnd::kRoot;
  both.unknown = Unknown(ring);
  MergeStacks(both, merged);
  merged->is_guessed = merged->is_known && is_guessed_;
}

}  // namespace sparkprof

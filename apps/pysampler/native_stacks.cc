// SPDX-License-Identifier: Apache-2.0
#include "native_stacks.h"

#include <sys/auxv.h>

#include "own_python.h"

namespace sparkprof {
namespace {

// An unloaded library is noticed after as many calls of Follow.
constexpr uint32_t kFollowEvery = 100;

}  // namespace

const char* NativeStacks::Start() {
  loop_ = AddressOf("_PyEval_EvalFrameDefault");
  c_library_ = AddressOf("__libc_start_main");
  program_ = getauxval(AT_ENTRY);
  if (loop_ == 0) return "this Python does not export _PyEval_EvalFrameDefault";
  if (!capture_.Install()) return "the process uses SIGURG and SIGWINCH itself";
  return nullptr;
}

void NativeStacks::Follow() {
  if (!objects_.MissesSome() && follows_++ % kFollowEvery != 0) return;
  if (!objects_.Refresh()) return;
  unwinder_.Forget();
  codes_.Clear();
}

NativeKind NativeStacks::KindOf(const NativeFrame& frame) const {
  const auto contains = [&](uint64_t address) {
    return frame.object != nullptr && address >= frame.object->begin && address < frame.object->end;
  };
  if (frame.function != 0 && frame.function == loop_) return NativeKind::kLoop;
  if (contains(loop_)) return NativeKind::kInterpreter;
  return contains(c_library_) || contains(program_) ? NativeKind::kStart : NativeKind::kCode;
}

void NativeStacks::Unwind(RingWriter* ring) {
  unwinder_.Unwind(capture_.registers(), &stack_);
  for (size_t i = 0; i < stack_.depth; ++i) {
    kinds_[i] = KindOf(stack_.frames[i]);
    const bool is_shown = kinds_[i] == NativeKind::kCode || kinds_[i] == NativeKind::kStart;
    frames_[i] = {is_shown ? codes_.Find(stack_.frames[i], ring) : 0, 0};
  }
}

void NativeStacks::Merge(BothStacks both, RingWriter* ring, MergedStack* merged) {
  Unwind(ring);
  both.native = frames_;
  both.kinds = kinds_;
  both.native_depth = stack_.depth;
  both.native_is_complete = stack_.end == UnwindEnd::kRoot;
  both.unknown = Unknown(ring);
  MergeStacks(both, merged);
}

}  // namespace sparkprof

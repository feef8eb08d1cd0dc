// SPDX-License-Identifier: Apache-2.0
#include "merged_stack.h"

namespace sparkprof {
namespace {

class Merger {
 public:
  Merger(const BothStacks& from, MergedStack* to) : from_(from), to_(to) {}

  void Merge() {
    to_->depth = 0;
    to_->is_truncated = from_.python_is_truncated;
    size_t loops = 0, calls = 0;
    for (size_t i = 0; i < from_.native_depth; ++i) loops += from_.kinds[i] == NativeKind::kLoop ? 1 : 0;
    for (size_t i = 0; i < from_.python_depth; ++i) calls += from_.is_entry[i] || IsOutermost(i) ? 1 : 0;
    // The innermost call is starting or ending: its Python frame does not exist yet, or no longer.
    const bool is_between = from_.native_is_complete && !from_.python_is_truncated && loops == calls + 1;
    loops_to_skip_ = is_between ? 1 : 0;
    loops -= loops_to_skip_;
    // The outermost Python and native frames may be missing.
    to_->is_known = !from_.native_is_complete   ? loops > 0 && loops <= calls
                    : from_.python_is_truncated ? loops >= calls
                                                : loops == calls;
    if (!to_->is_known) return MergeLeaf();
    while (AddNative(/*stops_at_interpreter=*/false)) AddCall();
    while (python_ < from_.python_depth) AddPython();
  }

 private:
  bool IsOutermost(size_t python) const { return python + 1 == from_.python_depth; }

  void Add(RingFrame frame) {
    if (to_->depth == kRingMaxFrames) {
      to_->is_truncated = true;
      return;
    }
    to_->frames[to_->depth++] = frame;
  }

  void AddPython() { Add(from_.python[python_++]); }

  // Adds the Python frames of one call of the loop.
  void AddCall() {
    while (python_ < from_.python_depth) {
      const bool is_last = from_.is_entry[python_];
      AddPython();
      if (is_last) return;
    }
  }

  // Consumes the native frames up to the next call of the interpreter's loop. Returns false if no call is left.
  bool AddNative(bool stops_at_interpreter) {
    while (native_ < from_.native_depth) {
      const NativeKind kind = from_.kinds[native_];
      if (kind == NativeKind::kLoop && loops_to_skip_ > 0) {
        --loops_to_skip_;
        ++native_;
        continue;
      }
      if (kind == NativeKind::kLoop || (stops_at_interpreter && kind == NativeKind::kInterpreter)) {
        ++native_;
        return true;
      }
      // Outside of all Python code, the C library starts the thread.
      const bool is_start = kind == NativeKind::kStart && native_ >= OuterBegin();
      if (kind != NativeKind::kInterpreter && !is_start) Add(from_.native[native_]);
      ++native_;
    }
    return false;
  }

  // Index of the outermost frames of the C library and the interpreter.
  size_t OuterBegin() const {
    size_t begin = from_.native_depth;
    if (!from_.native_is_complete) return begin;
    while (begin > 0 &&
           (from_.kinds[begin - 1] == NativeKind::kStart || from_.kinds[begin - 1] == NativeKind::kInterpreter)) {
      --begin;
    }
    // A thread that runs nothing else.
    return begin == 0 ? from_.native_depth : begin;
  }

  void MergeLeaf() {
    const bool reached = AddNative(/*stops_at_interpreter=*/true);
    if (!reached) Add(from_.unknown);
    while (python_ < from_.python_depth) AddPython();
  }

  const BothStacks& from_;
  MergedStack* to_;
  size_t python_ = 0;
  size_t native_ = 0;
  size_t loops_to_skip_ = 0;  // calls without Python frames
};

}  // namespace

void MergeStacks(const BothStacks& stacks, MergedStack* merged) { Merger(stacks, merged).Merge(); }

}  // namespace sparkprof

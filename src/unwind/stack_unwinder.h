// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

namespace sparkprof {

struct LoadedObject {
  uint64_t begin = 0;  // start of its code
  uint64_t end = 0;
  uint64_t bias = 0;  // runtime address minus address in the file
  UnwindIndex index;  // index.header is 0 if it has no readable index
  const char* path = "";
};

class ObjectFinder {
 public:
  virtual ~ObjectFinder() = default;
  // The object with code at `pc`; null if there is none. Valid until the finder changes.
  virtual const LoadedObject* Find(uint64_t pc) = 0;
};

struct NativeFrame {
  uint64_t pc = 0;                       // address within the running or calling instruction
  uint64_t function = 0;                 // start of the function; 0 = unknown
  const LoadedObject* object = nullptr;  // null = JIT-compiled code
  bool is_guessed = false;  // whether the call of the previous frame is a guess: frames may be missing in between
};

enum class UnwindEnd : uint8_t {
  kRoot,     // reached the thread's first function
  kStopped,  // outer frames are unknown
};

// Finds the callers of a sampled thread from its registers, a copy of its stack, and the objects' call frame
// information.
// Caches rows. Does not allocate. For one thread at a time.
//
// The caller of a function without call frame information (assembler, JIT-compiled code) is guessed from its code. The
// guess counts only if unwinding reaches the thread's first function from there.
class StackUnwinder {
 public:
  // Both must outlive the unwinder.
  StackUnwinder(ObjectFinder* objects, UnwindMemory* memory) : objects_(objects), memory_(memory) {}

  static constexpr size_t kMaxFrames = 256;
  struct Stack {
    size_t depth = 0;
    UnwindEnd end = UnwindEnd::kStopped;
    NativeFrame frames[kMaxFrames];  // leaf first
  };
  void Unwind(Registers registers, Stack* stack);

  // Call after objects were unloaded: their addresses may be reused.
  void Forget();

 private:
  struct Cached {
    uint64_t key = 0;  // 0 = free
    bool is_known = false;
    UnwindRow row;
  };
  static constexpr size_t kCached = 2048;

  // `next`: next instruction to run in the frame, at `pc` or after the call there.
  const UnwindRow* RowAt(const LoadedObject* object, uint64_t pc, uint64_t next);
  const UnwindRow* CodeRowAt(uint64_t next);
  bool StepOut(const UnwindRow& row, Registers* registers);
  bool ValueOf(const UnwindRow& row, int number, const Registers& registers, uint64_t cfa, uint64_t* value);
  bool Evaluate(const UnwindRow& row, const UnwindRow::Rule& rule, const Registers& registers, const uint64_t* initial,
                uint64_t* value);

  ObjectFinder* objects_;
  UnwindMemory* memory_;
  Cached cached_[kCached];
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

namespace sparkprof {

// A mapped program or library.
struct LoadedObject {
  uint64_t begin = 0;  // of its code
  uint64_t end = 0;
  uint64_t bias = 0;  // address - bias = address in the file's terms
  UnwindIndex index;  // index.header is 0 where it has none that can be read
  const char* path = "";
};

class ObjectFinder {
 public:
  virtual ~ObjectFinder() = default;
  // The object with code at `pc`, null if there is none. Valid until the finder changes.
  virtual const LoadedObject* Find(uint64_t pc) = 0;
};

struct NativeFrame {
  uint64_t pc = 0;                       // within the instruction that runs, or that called
  uint64_t function = 0;                 // start of the function, 0 = unknown
  const LoadedObject* object = nullptr;  // null = code of no object, made at run time
  bool is_guessed = false;               // that it called the frame before: others may be between both
};

enum class UnwindEnd : uint8_t {
  kRoot,     // the thread's first function
  kStopped,  // the outer frames are unknown
};

// Finds the callers of a sampled thread by its registers, a copy of its stack and the call frame information of the
// objects. Rows are cached. Does not allocate; one thread at a time.
//
// The caller of a function without such information (assembler, code made at run time) is guessed from its code. The
// guess counts only if the thread's first function can be reached from there.
class StackUnwinder {
 public:
  // Both outlive the unwinder.
  StackUnwinder(ObjectFinder* objects, UnwindMemory* memory) : objects_(objects), memory_(memory) {}

  static constexpr size_t kMaxFrames = 256;
  struct Stack {
    size_t depth = 0;
    UnwindEnd end = UnwindEnd::kStopped;
    NativeFrame frames[kMaxFrames];  // leaf first
  };
  void Unwind(Registers registers, Stack* stack);

  // Objects were unloaded: their addresses may be reused.
  void Forget();

 private:
  struct Cached {
    uint64_t key = 0;  // 0 = free
    bool is_known = false;
    UnwindRow row;
  };
  static constexpr size_t kCached = 2048;

  // `next`: the instruction to run next in the frame, at `pc` or behind the call there.
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

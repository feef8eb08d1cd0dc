// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpython/layout.h"
#include "cpython/python_memory.h"

namespace sparkprof {

// A frame as read: unverified addresses within the Python process.
struct RawFrame {
  uint64_t code = 0;
  uint64_t name = 0;      // name of the function, a text object
  uint64_t filename = 0;  // a text object
  uint64_t line_table = 0;
  int32_t first_line = 0;
  int32_t instruction = 0;  // byte offset within the code

  bool operator==(const RawFrame&) const = default;
};

inline constexpr size_t kMaxFrames = 512;

struct RawStack {
  uint64_t thread = 0;     // address of the thread state
  uint64_t thread_id = 0;  // pthread_t
  int64_t native_id = 0;   // OS thread ID; 0 if Python does not store it (up to 3.10)
  bool truncated = false;  // deeper than kMaxFrames: the outermost frames are missing
  size_t depth = 0;
  uint64_t shape = 0;           // hash of the frames' addresses and code
  uint64_t callers = 0;         // hash without the top frame
  RawFrame frames[kMaxFrames];  // leaf first
  // Whether the frame is the first of a call of the interpreter's loop, a C function: the frames above it, up to the
  // next such frame, run in the same call.
  bool is_entry[kMaxFrames];
};

enum class WalkResult : uint8_t {
  kGood,
  kEmpty,       // the thread is not running Python code
  kTorn,        // the stack changed during the read
  kUnreadable,  // expected memory is not readable
};

// Reads the stacks of a running CPython process without its cooperation: no lock, no signal, no allocation. Accepts a
// stack only if it is complete and two consecutive reads found all of its frames in order, the first with at most one
// more on top. Since 3.11, it must also end at the first frame of the thread's data stack and start within the used
// part of it. Up to 3.10, each frame has a flag that it is running, so frames above it in the second read do not
// matter. Not thread-safe.
class StackWalker {
 public:
  // `runtime` is the address of _PyRuntime, `code_type` of PyCode_Type (0 = unknown, which skips a check). `memory`
  // must outlive the walker.
  StackWalker(const CPythonLayout& layout, uint64_t runtime, uint64_t code_type, PythonMemory* memory)
      : layout_(layout), runtime_(runtime), code_type_(code_type), memory_(memory) {}

  // Writes the addresses of the main interpreter's thread states, at most `capacity`. Returns their number; 0 if they
  // cannot be read.
  size_t ListThreads(uint64_t* threads, size_t capacity);

  WalkResult Walk(uint64_t thread, RawStack* stack);

  // The thread state that holds the GIL; 0 = none or unknown.
  uint64_t GilHolder();

  // Changes whenever code objects are freed, because their addresses may be reused; 0 if unavailable (before 3.14).
  uint64_t CodeGeneration();

  const CPythonLayout& layout() const { return layout_; }
  PythonMemory* memory() const { return memory_; }

 private:
  static constexpr size_t kLargestThread = 4096;

  uint64_t Interpreter();
  bool ReadPointer(uint64_t address, uint64_t* value) { return memory_->Read(address, value, sizeof *value); }
  bool TopFrame(const char* thread_bytes, uint64_t* frame);
  void ExpectStack(const char* thread_bytes);
  uint64_t BaseFrame(const char* thread_bytes);
  WalkResult ReadFrames(uint64_t thread, RawStack* stack, bool expect);
  bool StillRuns(const RawStack& stack);
  bool IsEntry(const char* frame) const;
  bool Runs(const char* frame) const;
  int32_t InstructionOf(const char* frame, uint64_t code) const;
  bool ReadCodes(RawStack* stack);

  const CPythonLayout layout_;
  const uint64_t runtime_;
  const uint64_t code_type_;
  PythonMemory* memory_;
  // Members, because the stack of a signal handler is small.
  char thread_bytes_[kLargestThread];
  uint64_t addresses_[kMaxFrames];  // addresses of the frames read last
};

}  // namespace sparkprof

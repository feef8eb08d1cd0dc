// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/jfr/jfr_constants.h"
#include "formats/jfr/jfr_known_stacks.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// "java/util/List" becomes "java.util.List", "[[I" becomes "int[][]". The suffix of a hidden class
// ("Foo$$Lambda/0x00007f…") is unchanged.
std::string JavaTypeName(std::string_view internal_name);

// Converts a chunk's stack traces to stacks of the caller's tables, on demand. Java frames are named
// "package.Class.method", native ones by their symbol, with the library as file.
class JfrStacks {
 public:
  JfrStacks(std::string_view chunk, JfrPlanTable* plans, JfrConstants* constants, StringTable* strings,
            FrameTable* frames, StackTable* stacks, JfrKnownStacks* known);

  // Whether async-profiler wrote the chunk: only it has frames of type Kernel.
  bool FromAsyncProfiler() const { return from_async_profiler_; }

  // Nothing when the chunk has no such stack trace or it is damaged.
  std::optional<StackId> Stack(uint64_t key);

  StringId ClassName(uint64_t key);               // `key`: in the pool of java.lang.Class
  StackId Call(StackId caller, uint64_t method);  // `method`: key in the pool of jdk.types.Method
  StringId MethodName(uint64_t key);              // "package.Class.method", of a key of the pool of jdk.types.Method

 private:
  struct Method {
    StringId name = 0;
    StringId file = 0;
  };

  void ReadFrameKinds();
  uint64_t Layout() const;
  std::vector<JfrKnownStacks::KnownMethod> MethodMeanings();
  void FindKnownStacks(std::span<JfrPool::Entry> entries);
  JfrKnownStacks::RecordHash HashRecord(const JfrPool::Entry& entry) const;
  std::optional<StackId> WalkStack(size_t position);
  FrameKind Kind(uint64_t frame_type) const;
  bool ReadFrames(const JfrPlan& plan, size_t position);
  FrameId InternFrame(uint64_t method, int64_t line, FrameKind kind);
  FrameId InternNewFrame(JfrKnownStacks::KnownFrame known, uint32_t line, FrameKind kind);
  Method ReadMethod(uint64_t key, bool is_symbol);
  std::string_view ClassSymbol(uint64_t key, std::string* scratch);

  std::string_view chunk_;
  JfrPlanTable* plans_;
  JfrConstants* constants_;
  StringTable* strings_;
  FrameTable* frames_;
  StackTable* stacks_;

  JfrKnownStacks* known_;

  JfrPool* stack_pool_;
  JfrPool* method_pool_;
  JfrPool* class_pool_;
  bool from_async_profiler_ = false;
  std::vector<FrameKind> kinds_;  // by key of jdk.types.FrameType
  std::vector<Method> methods_;   // JfrPool::Entry::resolved of a method is a position here

  std::vector<FrameId> leaf_first_;  // stack being read
  bool lacks_method_ = false;        // one of its frames has a method that the chunk does not describe
};

}  // namespace sparkprof

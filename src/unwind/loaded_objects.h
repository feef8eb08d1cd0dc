// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "unwind/memory.h"
#include "unwind/stack_unwinder.h"

namespace sparkprof {

// The program and libraries loaded into this process. Fixed size; does not allocate. Not thread-safe.
class LoadedObjects : public ObjectFinder {
 public:
  // `memory` must outlive this object.
  explicit LoadedObjects(UnwindMemory* memory) : memory_(memory) {}

  // Updates the list. Takes a lock of the dynamic linker, so call it while no thread is suspended. Returns true if
  // objects were unloaded since the last call, because their addresses may be reused. Invalidates results of Find.
  bool Refresh();

  const LoadedObject* Find(uint64_t pc) override;

 private:
  static constexpr size_t kObjects = 2048;
  static constexpr size_t kPathBytes = 256 << 10;

  static int OnObject(dl_phdr_info* info, size_t size, void* self);
  void Add(const dl_phdr_info& info);
  const char* KeepPath(const char* path);

  UnwindMemory* memory_;
  uint64_t loaded_ = 0;    // linker's count of loaded objects
  uint64_t unloaded_ = 0;  // linker's count of unloaded objects
  bool is_first_ = false;  // whether the next object is the first of this Refresh
  size_t count_ = 0;
  size_t path_bytes_ = 0;
  size_t last_ = 0;                 // result of the last Find; frames of a stack are often in the same object
  LoadedObject objects_[kObjects];  // sorted by address
  char paths_[kPathBytes];
};

}  // namespace sparkprof

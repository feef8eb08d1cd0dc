// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "unwind/memory.h"
#include "unwind/stack_unwinder.h"

namespace sparkprof {

// The program and the libraries that are loaded into this process. Fixed size; does not allocate. Not thread-safe.
class LoadedObjects : public ObjectFinder {
 public:
  // `memory` outlives this.
  explicit LoadedObjects(UnwindMemory* memory) : memory_(memory) {}

  // Finds what is loaded now. Takes a lock of the dynamic linker: call while no thread is held. True if objects were
  // unloaded since the last call, so that their addresses may be reused. Invalidates what Find returned.
  bool Refresh();

  const LoadedObject* Find(uint64_t pc) override;

 private:
  static constexpr size_t kObjects = 2048;
  static constexpr size_t kPathBytes = 256 << 10;

  static int OnObject(dl_phdr_info* info, size_t size, void* self);
  void Add(const dl_phdr_info& info);
  const char* KeepPath(const char* path);

  UnwindMemory* memory_;
  uint64_t loaded_ = 0;    // the linker's totals
  uint64_t unloaded_ = 0;  //
  bool is_first_ = false;  // the next object is the first of this Refresh
  size_t count_ = 0;
  size_t path_bytes_ = 0;
  size_t last_ = 0;                 // that was found; the frames of a stack are often in the same
  LoadedObject objects_[kObjects];  // in order of address
  char paths_[kPathBytes];
};

}  // namespace sparkprof

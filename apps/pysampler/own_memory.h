// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "cpython/python_memory.h"

namespace sparkprof {

// Memory of this process, read by one thread while others change it. While our handlers of SIGSEGV and SIGBUS are
// installed, loads are direct, and a faulting load is a failed read. If another library (such as faulthandler) replaces
// a handler, or there are too many direct readers, the kernel copies instead (process_vm_readv). Does not allocate.
class OwnMemory : public PythonMemory {
 public:
  // Installs the handlers once per process; faults of other threads are passed to the previous handlers.
  static void InstallHandlers();

  // Called by the reading thread before its first read.
  void BindToThisThread();

  // Makes `tid` the reading thread. Call while no read is active.
  void MoveTo(int32_t tid);

  void BeginSample() override;
  bool Read(uint64_t address, void* bytes, size_t size) override;
  bool ReadOnce(uint64_t address, void* bytes, size_t size) override;
  bool ReadStable(uint64_t address, void* bytes, size_t size) override;
  void LookAgain() override;
  void Expect(uint64_t address, size_t size) override;

  // Drops the cache of ReadStable.
  void ForgetStable() { copied_.ForgetStable(); }

 private:
  ProcessMemory copied_{getpid()};
  int reader_ = -1;  // index among the direct readers
  bool direct_ = false;
};

}  // namespace sparkprof

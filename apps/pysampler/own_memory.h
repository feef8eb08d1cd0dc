// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "cpython/python_memory.h"

namespace sparkprof {

// The memory of the process that this runs in, read by one thread while others change it. Loads are direct as long as
// our handlers of SIGSEGV and SIGBUS are in place: a load that faults is a read that failed. When somebody else has
// taken a signal (Python's faulthandler, for one), or more objects read directly than there is room for, the kernel
// copies instead (process_vm_readv), as from another process. Allocates nothing.
class OwnMemory : public PythonMemory {
 public:
  // Installs the handlers, once for the process; faults of other threads go on to the handlers that were there before.
  static void InstallHandlers();

  // Called by the thread that is going to read, before its first read.
  void BindToThisThread();

  void BeginSample() override;
  bool Read(uint64_t address, void* bytes, size_t size) override;
  bool ReadOnce(uint64_t address, void* bytes, size_t size) override;
  bool ReadStable(uint64_t address, void* bytes, size_t size) override;
  void LookAgain() override;
  void Expect(uint64_t address, size_t size) override;

  // Whatever ReadStable has kept.
  void ForgetStable() { copied_.ForgetStable(); }

 private:
  ProcessMemory copied_{getpid()};
  int reader_ = -1;  // its place among those that read directly
  bool direct_ = false;
};

}  // namespace sparkprof

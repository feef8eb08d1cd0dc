// SPDX-License-Identifier: Apache-2.0
#include "cpython/thread_id.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpython/python_memory.h"

namespace sparkprof {

uint32_t ThreadIdOffset() {
  static const uint32_t offset = [] {
    const auto self = reinterpret_cast<uint64_t>(pthread_self());
    const auto id = static_cast<int32_t>(syscall(SYS_gettid));
    for (uint32_t at = 0; at < 2048; at += sizeof id) {
      int32_t value = 0;
      if (ReadProcessMemory(getpid(), self + at, &value, sizeof value) && value == id) return at;
    }
    return uint32_t{0};
  }();
  return offset;
}

}  // namespace sparkprof

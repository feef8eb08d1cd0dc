// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>

#include "base/io/file.h"

namespace sparkprof {
namespace {

constexpr size_t kPlaces = 4096;

struct Mapping {
  std::atomic<uintptr_t> begin = 0;  // 0 = unused
  std::atomic<uintptr_t> end = 0;    // 0 = being set
};

Mapping mappings[kPlaces];
uintptr_t page_size = 0;  // 0 = faults are not handled

bool IsTracked(uintptr_t address) {
  for (const Mapping& mapping : mappings) {
    if (mapping.begin <= address && address < mapping.end) return true;
  }
  return false;
}

// Signal handler on the reading thread: only atomics and system calls are allowed.
void PutZeros(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  void* const page = reinterpret_cast<void*>(address / page_size * page_size);
  const bool is_zero = IsTracked(address) &&
                       mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  // The access is retried: it reads zeros, or ends the process as without this handler.
  if (!is_zero) signal(SIGBUS, SIG_DFL);
}

}  // namespace

void ReadZerosInMappedFaults() {
  page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = PutZeros;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

void TrackMapped(const void* begin, size_t size) {
  if (page_size == 0) return;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  for (Mapping& mapping : mappings) {
    uintptr_t free = 0;
    if (!mapping.begin.compare_exchange_strong(free, address)) continue;
    mapping.end = (address + size + page_size - 1) / page_size * page_size;
    return;
  }
}

void ForgetMapped(const void* begin) {
  if (page_size == 0) return;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  for (Mapping& mapping : mappings) {
    if (mapping.begin != address) continue;
    mapping.end = 0;
    mapping.begin = 0;
    return;
  }
}

}  // namespace sparkprof

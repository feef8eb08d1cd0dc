// SPDX-License-Identifier: Apache-2.0
#include "own_memory.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace sparkprof {
namespace {

constexpr uint64_t kLowestAddress = 1 << 16;
constexpr uint64_t kHighestAddress = uint64_t{1} << 47;

// Not thread_local: the handler runs in any thread, and a library's thread-local memory may be allocated on first use.
volatile sig_atomic_t reads_directly = 0;
volatile pid_t reader_tid = 0;
sigjmp_buf reader_escape;
struct sigaction previous_segv, previous_bus;
bool installed = false;

pid_t OwnTid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void OnFault(int signal, siginfo_t* info, void* context) {
  if (reads_directly != 0 && OwnTid() == reader_tid) siglongjmp(reader_escape, 1);
  const struct sigaction& previous = signal == SIGSEGV ? previous_segv : previous_bus;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  // The instruction faults again and the process ends as it would have.
  struct sigaction otherwise {};
  otherwise.sa_handler = SIG_DFL;
  sigaction(signal, &otherwise, nullptr);
  if (info->si_code <= 0) raise(signal);  // sent by somebody: it does not come again by itself
}

bool IsOurs(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnFault;
}

}  // namespace

void OwnMemory::InstallHandlers() {
  if (installed) return;
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  installed = sigaction(SIGSEGV, &action, &previous_segv) == 0 && sigaction(SIGBUS, &action, &previous_bus) == 0;
}

void OwnMemory::BindToThisThread() {
  reads_directly = 0;
  reader_tid = OwnTid();
}

void OwnMemory::BeginSample() { direct_ = installed && IsOurs(SIGSEGV) && IsOurs(SIGBUS); }

bool OwnMemory::Read(uint64_t address, void* bytes, size_t size) {
  if (address < kLowestAddress || address > kHighestAddress || size > kHighestAddress) return false;
  if (!direct_) {
    const iovec local{bytes, size};
    const iovec remote{reinterpret_cast<void*>(address), size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
  }
  if (sigsetjmp(reader_escape, 0) != 0) {
    reads_directly = 0;
    return false;
  }
  reads_directly = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  std::memcpy(bytes, reinterpret_cast<const void*>(address), size);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  reads_directly = 0;
  return true;
}

}  // namespace sparkprof

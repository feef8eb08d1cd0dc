// SPDX-License-Identifier: Apache-2.0
#include "own_memory.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace sparkprof {
namespace {

constexpr uint64_t kLowestAddress = 1 << 16;
constexpr uint64_t kHighestAddress = uint64_t{1} << 47;

// Not thread_local: the handler runs in any thread, and a library's thread-local memory may be allocated on first use.
struct Reader {
  volatile sig_atomic_t reads = 0;
  volatile pid_t pid = 0;  // a reader of the parent process is invalid after a fork
  volatile pid_t tid = 0;
  sigjmp_buf escape;
};
constexpr int kReaders = 32;  // most are used by threads that capture their stacks
Reader readers[kReaders];
struct sigaction previous_segv, previous_bus;
bool installed = false;

pid_t OwnTid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void OnFault(int signal, siginfo_t* info, void* context) {
  const pid_t tid = OwnTid();
  for (Reader& reader : readers) {
    if (reader.reads != 0 && reader.tid == tid) siglongjmp(reader.escape, 1);
  }
  const struct sigaction& previous = signal == SIGSEGV ? previous_segv : previous_bus;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  // The instruction faults again, and the process ends as it would have without this handler.
  struct sigaction otherwise {};
  otherwise.sa_handler = SIG_DFL;
  sigaction(signal, &otherwise, nullptr);
  if (info->si_code <= 0) raise(signal);  // sent by another process, so it will not recur
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
  const pid_t pid = getpid();
  for (int i = 0; i < kReaders && reader_ < 0; ++i) {
    if (readers[i].pid != pid) reader_ = i;
  }
  if (reader_ < 0) return;
  Reader& reader = readers[reader_];
  reader.reads = 0;
  reader.pid = pid;
  reader.tid = OwnTid();
}

void OwnMemory::MoveTo(int32_t tid) {
  if (reader_ >= 0) readers[reader_].tid = tid;
}

void OwnMemory::BeginSample() {
  direct_ = reader_ >= 0 && installed && IsOurs(SIGSEGV) && IsOurs(SIGBUS);
  if (!direct_) copied_.BeginSample();
}

void OwnMemory::LookAgain() {
  if (!direct_) copied_.LookAgain();
}

void OwnMemory::Expect(uint64_t address, size_t size) {
  if (!direct_) copied_.Expect(address, size);
}

bool OwnMemory::ReadOnce(uint64_t address, void* bytes, size_t size) {
  return direct_ ? Read(address, bytes, size) : copied_.ReadOnce(address, bytes, size);
}

bool OwnMemory::ReadStable(uint64_t address, void* bytes, size_t size) {
  return direct_ ? Read(address, bytes, size) : copied_.ReadStable(address, bytes, size);
}

bool OwnMemory::Read(uint64_t address, void* bytes, size_t size) {
  if (!direct_) return copied_.Read(address, bytes, size);
  if (address < kLowestAddress || address > kHighestAddress || size > kHighestAddress) return false;
  Reader& reader = readers[reader_];
  if (sigsetjmp(reader.escape, 0) != 0) {
    readers[reader_].reads = 0;
    return false;
  }
  reader.reads = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  std::memcpy(bytes, reinterpret_cast<const void*>(address), size);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  reader.reads = 0;
  return true;
}

}  // namespace sparkprof

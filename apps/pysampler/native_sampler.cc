// SPDX-License-Identifier: Apache-2.0
#include "native_sampler.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "own_threads.h"
#include "ticker.h"

namespace sparkprof {
namespace {

// Ticks between two lists of all threads.
constexpr uint32_t kListEvery = 10;
// Native threads per tick: the CPU time of others counts at their next sample.
constexpr size_t kMostRead = 8;
// A native thread that runs and cannot be read for as long has unknown frames.
constexpr int64_t kUnknownAfterNs = 1'000'000'000;
// How long a tick waits for a thread, and how long an answer may take: the thread may wait for a CPU.
constexpr int64_t kAwaitNs = 2'000'000;
constexpr int64_t kLatestAnswerNs = 300'000'000;

}  // namespace

Result<NativeSampler*> NativeSampler::Create(const OwnPython& python, OwnMemory* memory, RingWriter* ring) {
  // Only where it is wanted, because it is large; by mmap, as the sampler itself.
  void* room = mmap(nullptr, sizeof(NativeSampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return Fail(std::string("cannot allocate memory: ") + std::strerror(errno));
  auto* sampler = new (room) NativeSampler(python, memory, ring);
  if (const char* const reason = sampler->stacks_.Start(); reason != nullptr) {
    munmap(room, sizeof(NativeSampler));
    return Fail(reason);
  }
  sampler->StartClocks();
  return sampler;
}

void NativeSampler::BeginTick(int64_t now_ns) {
  ++tick_;
  python_waits_ = false;
  StackCapture& capture = stacks_.capture();
  // A thread that has exited, or blocks signals.
  if (!capture.IsIdle() && now_ns - asked_ns_ > kLatestAnswerNs && !capture.Await(0)) {
    capture.End();
    ++unknown_;
  }
  stacks_.Follow();
  if (stacks_.codes().IsFull()) stacks_.codes().Clear();
  ring_->SetNative(tried_, unknown_);
  if (!capture.IsLost() || told_of_signal_) return;
  told_of_signal_ = true;
  ring_->AddNotice(1, "native frames end here: the program began to use the signal that the sampler used");
  ring_->Publish();
}

NativeSampler::Answer NativeSampler::Read(int32_t tid, uint64_t state, int64_t now_ns, bool ran) {
  const Answer asked = ran ? Ask(tid, state, now_ns) : Answer::kNone;
  const Answer answer = asked == Answer::kNone ? ReadSleeping(tid, state) : asked;
  python_waits_ = python_waits_ || answer == Answer::kLater;
  return answer;
}

NativeSampler::Answer NativeSampler::ReadSleeping(int32_t tid, uint64_t state) {
  StackCapture& capture = stacks_.capture();
  if (!capture.IsIdle()) return Answer::kLater;
  if (capture.IsLost() || !capture.ReadSleeping(tid, state)) return Answer::kNone;
  ++tried_;
  return Answer::kRead;
}

NativeSampler::Answer NativeSampler::Ask(int32_t tid, uint64_t state, int64_t now_ns) {
  StackCapture& capture = stacks_.capture();
  if (capture.IsIdle()) {
    if (ReadRunState(tid) != kRingRunnable) return Answer::kNone;
    if (!capture.Ask(tid, state)) return Answer::kNone;
    asked_ns_ = now_ns;
    ++tried_;
  }
  if (capture.AskedTid() != tid) return Answer::kLater;
  has_answer_ = capture.Await(kAwaitNs);
  return has_answer_ ? Answer::kRead : Answer::kLater;
}

void NativeSampler::EndStack(bool published) {
  if (has_answer_) stacks_.capture().End();
  has_answer_ = false;
  stacks_.codes().End(published);
}

const MergedStack& NativeSampler::Merge(const RingFrame* python, const bool* is_entry, size_t depth,
                                        bool is_truncated) {
  BothStacks both;
  both.python = python;
  both.is_entry = is_entry;
  both.python_depth = depth;
  both.python_is_truncated = is_truncated;
  stacks_.Merge(both, ring_, &merged_);
  if (!merged_.is_known) ++unknown_;
  return merged_;
}

NativeSampler::Thread* NativeSampler::Find(int32_t tid) {
  for (Thread& thread : threads_) {
    if (thread.tid == tid) return &thread;
  }
  return nullptr;
}

int64_t NativeSampler::SampledCpuNs(int32_t tid) const {
  for (const Thread& thread : threads_) {
    if (thread.tid == tid) return thread.cpu_ns;
  }
  return 0;
}

// `are_new`: threads that are found have started since the last list.
void NativeSampler::ListThreads(bool are_new) {
  int32_t tids[kThreads];
  const size_t count = ListOwnThreads(tids, kThreads);
  ++list_;
  for (size_t i = 0; i < count; ++i) {
    Thread* thread = Find(tids[i]);
    const bool is_known = thread != nullptr;
    if (!is_known) thread = Find(0);
    if (thread == nullptr) break;
    if (!is_known) {
      thread->tid = tids[i];
      thread->cpu_ns = 0;
      thread->depth = 0;
    }
    if (!are_new) thread->cpu_ns = std::max<int64_t>(0, ClockNanos(ClockOfThread(tids[i])));
    thread->missed_ns = -1;
    thread->last_list = list_;
  }
  for (Thread& thread : threads_) {
    if (thread.last_list != list_) thread.tid = 0;
  }
}

int64_t NativeSampler::NewCpuNs(Thread* thread, const PythonThread* python, size_t count) const {
  if (thread->tid == 0 || thread->tid == own_tid_) return -1;
  const auto* const found =
      std::find_if(python, python + count, [thread](const PythonThread& one) { return one.tid == thread->tid; });
  if (found != python + count) {
    thread->cpu_ns = found->cpu_ns;
    return -1;
  }
  const int64_t cpu_ns = ClockNanos(ClockOfThread(thread->tid));
  return cpu_ns - thread->cpu_ns < kSomeCpuNs ? -1 : cpu_ns;
}

void NativeSampler::SampleThreads(const PythonThread* python, size_t count, int64_t now_ns, int64_t task) {
  if (tick_ % kListEvery == 0) ListThreads(/*are_new=*/true);
  size_t read = 0;
  const auto sample = [&](Thread* thread) {
    const int64_t cpu_ns = NewCpuNs(thread, python, count);
    const Answer answer = cpu_ns < 0 ? Answer::kNone : SampleThread(thread, now_ns, cpu_ns, task);
    if (answer == Answer::kRead) ++read;
    return answer != Answer::kLater;
  };
  if (!stacks_.capture().IsIdle()) {
    Thread* const asked = Find(stacks_.capture().AskedTid());
    if (asked == nullptr || !sample(asked)) return;
  }
  // Python threads that wait are first in the next tick.
  for (size_t i = 0; i < kThreads && read < kMostRead && !python_waits_; ++i) {
    Thread* const thread = &threads_[next_];
    next_ = (next_ + 1) % kThreads;
    if (!sample(thread)) break;
  }
}

NativeSampler::Answer NativeSampler::SampleThread(Thread* thread, int64_t now_ns, int64_t cpu_ns, int64_t task) {
  BeginStack();
  const Answer answer = Ask(thread->tid, 0, now_ns);
  thread->depth = 0;
  if (answer == Answer::kRead) {
    Merge(nullptr, nullptr, 0, false);
    thread->depth = static_cast<uint16_t>(std::min(merged_.depth, kDepth));
    std::copy(merged_.frames, merged_.frames + thread->depth, thread->frames);
    thread->missed_ns = -1;
    Write(thread, now_ns, stacks_.capture().CpuNs(), task);
    return answer;
  }
  if (thread->missed_ns < 0) thread->missed_ns = now_ns;
  if (now_ns - thread->missed_ns < kUnknownAfterNs) return answer;
  ++tried_;
  ++unknown_;
  thread->missed_ns = -1;
  Write(thread, now_ns, cpu_ns, task);
  return answer;
}

// Time of a sample that finds no room in the ring goes to the thread's next one.
void NativeSampler::Write(Thread* thread, int64_t now_ns, int64_t cpu_ns, int64_t task) {
  if (thread->depth == 0) thread->frames[thread->depth++] = stacks_.Unknown(ring_);
  thread->codes = CodeGeneration();
  RingSample sample{};
  sample.monotonic_ns = now_ns;
  sample.task = task;
  sample.cpu_ns = cpu_ns - thread->cpu_ns;
  sample.tid = thread->tid;
  sample.flags = kRingOnCpu | kRingRunnable;
  sample.frames = thread->depth;
  ring_->AddSample(sample, thread->frames);
  const bool published = ring_->Publish();
  EndStack(published);
  if (published) thread->cpu_ns = cpu_ns;
}

void NativeSampler::CutAtTask(const PythonThread* python, size_t count, int64_t now_ns, int64_t task) {
  for (Thread& thread : threads_) {
    const int64_t cpu_ns = NewCpuNs(&thread, python, count);
    if (cpu_ns < 0) continue;
    BeginStack();
    if (thread.codes != CodeGeneration()) thread.depth = 0;
    Write(&thread, now_ns, cpu_ns, task);
  }
}

}  // namespace sparkprof

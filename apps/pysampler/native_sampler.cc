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
// Maximum number of native threads with a pending request; the CPU time of others counts at their next sample.
constexpr size_t kMaxAsked = 12;
// A native thread gets unknown frames if it could not be read for this time and used this much CPU time meanwhile.
constexpr int64_t kUnknownAfterNs = 1'000'000'000;
constexpr int64_t kUnknownCpuNs = 10'000'000;
// Time that a tick waits for the threads, and maximum delay of an answer: a thread may be waiting for a CPU.
constexpr int64_t kAwaitNs = 2'000'000;
constexpr int64_t kLatestAnswerNs = 300'000'000;

}  // namespace

Result<NativeSampler*> NativeSampler::Create(const OwnPython& python, OwnMemory* memory, RingWriter* ring) {
  // Allocated only if needed, because it is large; with mmap, like the sampler itself.
  void* room = mmap(nullptr, sizeof(NativeSampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return Fail(std::string("cannot allocate memory: ") + std::strerror(errno));
  auto* sampler = new (room) NativeSampler(python, memory, ring);
  if (const char* const reason = sampler->stacks_.Start(); reason != nullptr) {
    munmap(room, sizeof(NativeSampler));
    return Fail(reason);
  }
  sampler->sleeping_.Bind();
  sampler->StartClocks();
  return sampler;
}

void NativeSampler::BeginTick(int64_t now_ns) {
  ++tick_;
  has_room_ = true;
  StackCaptures& captures = stacks_.captures();
  const auto given_up = static_cast<uint64_t>(captures.BeginTurn(now_ns - kLatestAnswerNs));
  tried_ += given_up;
  unknown_ += given_up;
  stacks_.Follow();
  if (stacks_.codes().IsFull()) stacks_.codes().Clear();
  ring_->SetNative(tried_, unknown_, guessed_);
  if (!captures.IsLost() || told_of_signal_) return;
  told_of_signal_ = true;
  ring_->AddNotice(1, "native frames end here: the program began to use the signal that the sampler used");
  ring_->Publish();
}

void NativeSampler::Ask(int32_t tid, uint64_t state, int64_t clock_ns, int64_t cpu_ns, int64_t wall_ns,
                        int64_t now_ns) {
  if (!RunsNow(tid, clock_ns, cpu_ns, wall_ns)) return;
  if (stacks_.captures().Ask(tid, state, now_ns) == StackCaptures::Outcome::kNoRoom) has_room_ = false;
}

NativeSampler::Answer NativeSampler::TakeAnswer(int32_t tid, uint64_t state) {
  StackCaptures& captures = stacks_.captures();
  const StackCaptures::State found = captures.StateOf(tid);
  if (found == StackCaptures::State::kAsked) return Answer::kLater;
  if (found != StackCaptures::State::kDone) return Answer::kNone;
  captured_ = &captures.AnswerOf(tid);
  if (captured_->PythonState() != state) {
    // The thread started or stopped running Python since the request.
    captures.End(tid);
    return Answer::kLater;
  }
  answered_tid_ = tid;
  ++tried_;
  return Answer::kRead;
}

NativeSampler::Answer NativeSampler::Read(int32_t tid, uint64_t state, bool ran) {
  StackCaptures& captures = stacks_.captures();
  if (captures.StateOf(tid) != StackCaptures::State::kNone) return TakeAnswer(tid, state);
  if (ran && !has_room_) return Answer::kLater;
  if (captures.IsLost() || !sleeping_.ReadSleeping(tid, state)) return Answer::kNone;
  captured_ = &sleeping_;
  ++tried_;
  return Answer::kRead;
}

void NativeSampler::EndStack(bool published) {
  if (answered_tid_ != 0) stacks_.captures().End(answered_tid_);
  answered_tid_ = 0;
  stacks_.codes().End(published);
}

const MergedStack& NativeSampler::Merge(const RingFrame* python, const bool* is_entry, size_t depth,
                                        bool is_truncated) {
  BothStacks both;
  both.python = python;
  both.is_entry = is_entry;
  both.python_depth = depth;
  both.python_is_truncated = is_truncated;
  stacks_.Merge(*captured_, both, ring_, &merged_);
  if (!merged_.is_known) ++unknown_;
  if (merged_.is_guessed) ++guessed_;
  return merged_;
}

NativeSampler::Thread* NativeSampler::Find(int32_t tid) {
  for (Thread& thread : Threads()) {
    if (thread.tid == tid) return &thread;
  }
  return nullptr;
}

int64_t NativeSampler::SampledCpuNs(int32_t tid) {
  const Thread* const thread = Find(tid);
  return thread == nullptr ? 0 : thread->cpu_ns;
}

// `are_new`: threads found have started since the last list.
void NativeSampler::ListThreads(bool are_new) {
  int32_t tids[kThreads];
  const size_t count = ListOwnThreads(tids, kThreads);
  ++list_;
  for (size_t i = 0; i < count; ++i) {
    Thread* thread = Find(tids[i]);
    const bool is_known = thread != nullptr;
    if (!is_known) thread = Find(0);
    if (thread == nullptr && used_ < kThreads) thread = &threads_[used_++];
    if (thread == nullptr) break;
    if (!is_known) {
      thread->tid = tids[i];
      thread->is_asked = false;
      thread->cpu_ns = 0;
      thread->missed_ns = -1;
      thread->depth = 0;
    }
    if (!are_new) thread->cpu_ns = std::max<int64_t>(0, ClockNanos(ClockOfThread(tids[i])));
    thread->last_list = list_;
  }
  for (Thread& thread : Threads()) {
    if (thread.last_list != list_) thread.tid = 0;
  }
}

int64_t NativeSampler::NewCpuNs(Thread* thread, const PythonThread* python, size_t count) const {
  if (thread->tid == 0 || thread->tid == own_tid_) return -1;
  const auto* const found =
      std::find_if(python, python + count, [thread](const PythonThread& one) { return one.tid == thread->tid; });
  if (found != python + count) {
    thread->cpu_ns = found->cpu_ns;
    thread->is_asked = false;
    return -1;
  }
  const int64_t cpu_ns = ClockNanos(ClockOfThread(thread->tid));
  return cpu_ns - thread->cpu_ns < kSomeCpuNs ? -1 : cpu_ns;
}

void NativeSampler::AskOthers(const PythonThread* python, size_t count, int64_t now_ns) {
  if (tick_ % kListEvery == 0) ListThreads(/*are_new=*/true);
  size_t asked = 0;
  for (Thread& thread : Threads()) {
    thread.new_cpu_ns = -1;
    asked += thread.tid != 0 && thread.is_asked ? 1 : 0;
  }
  for (size_t i = 0; i < used_ && asked < kMaxAsked; ++i) {
    Thread* const thread = &threads_[next_ % used_];
    next_ = (next_ + 1) % used_;
    thread->new_cpu_ns = NewCpuNs(thread, python, count);
    if (thread->new_cpu_ns < 0 || thread->is_asked) continue;
    const int64_t ran_ns = thread->new_cpu_ns - thread->cpu_ns;
    if (!RunsNow(thread->tid, thread->new_cpu_ns, ran_ns, now_ns - thread->wall_ns)) continue;
    thread->is_asked = stacks_.captures().Ask(thread->tid, 0, now_ns) == StackCaptures::Outcome::kAsked;
    asked += thread->is_asked ? 1 : 0;
  }
  stacks_.captures().Await(kAwaitNs);
}

void NativeSampler::SampleOthers(int64_t now_ns, int64_t task) {
  for (Thread& thread : Threads()) {
    if (thread.tid != 0 && (thread.is_asked || thread.new_cpu_ns >= 0)) SampleOther(&thread, now_ns, task);
  }
}

void NativeSampler::SampleOther(Thread* thread, int64_t now_ns, int64_t task) {
  BeginStack();
  const Answer answer = thread->is_asked ? TakeAnswer(thread->tid, 0) : Answer::kNone;
  if (answer == Answer::kLater) return;
  thread->is_asked = false;
  thread->depth = 0;
  if (answer == Answer::kRead) {
    Merge(nullptr, nullptr, 0, false);
    thread->depth = static_cast<uint16_t>(std::min(merged_.depth, kDepth));
    std::copy(merged_.frames, merged_.frames + thread->depth, thread->frames);
    thread->missed_ns = -1;
    return Write(thread, now_ns, captured_->CpuNs(), task);
  }
  if (thread->new_cpu_ns < 0) return;
  if (thread->missed_ns < 0) thread->missed_ns = now_ns;
  if (now_ns - thread->missed_ns < kUnknownAfterNs || thread->new_cpu_ns - thread->cpu_ns < kUnknownCpuNs) return;
  ++tried_;
  ++unknown_;
  thread->missed_ns = -1;
  Write(thread, now_ns, thread->new_cpu_ns, task);
}

// If a sample does not fit into the ring, its time counts for the thread's next one.
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
  if (!published) return;
  thread->cpu_ns = cpu_ns;
  thread->wall_ns = now_ns;
}

void NativeSampler::CutAtTask(const PythonThread* python, size_t count, int64_t now_ns, int64_t task) {
  stacks_.captures().EndAll();
  for (Thread& thread : Threads()) {
    thread.is_asked = false;
    const int64_t cpu_ns = NewCpuNs(&thread, python, count);
    if (cpu_ns < 0) continue;
    BeginStack();
    if (thread.codes != CodeGeneration()) thread.depth = 0;
    Write(&thread, now_ns, cpu_ns, task);
  }
}

}  // namespace sparkprof

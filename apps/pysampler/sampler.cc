// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "allocator_hooks.h"
#include "cpython/thread_id.h"
#include "own_threads.h"

namespace sparkprof {
namespace {

// Ticks. A list of threads that changed while it was read may be incomplete.
constexpr uint32_t kForgottenAfter = 100;
// A waiting program is sampled in one of this many ticks.
constexpr uint32_t kIdleTicks = 10;
constexpr int64_t kShortestIntervalNs = 100'000;
// Interval at which a paused sampler checks whether to continue.
constexpr int64_t kPausedIntervalNs = 500'000'000;
// As often as the agent reads the process's resident memory.
constexpr int64_t kArrowIntervalNs = 1'000'000'000;

}  // namespace

Sampler::Sampler(const OwnPython& python, int64_t interval_ns, bool is_program)
    : Ticker(interval_ns),
      python_(python),
      is_program_(is_program),
      walker_(python.layout, python.runtime, python.code_type, &memory_) {
  pthread_mutex_init(&mutex_, nullptr);
}

Result<Sampler*> Sampler::Create(const Settings& settings) {
  const Result<OwnPython> python = FindOwnPython(settings.version_hex);
  if (!python) return tl::unexpected(python.error());
  // Uses mmap, because a new thread's first malloc would reserve 64 MiB of address space, which Spark may have limited.
  void* room = mmap(nullptr, sizeof(Sampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return Fail(std::string("cannot allocate memory: ") + std::strerror(errno));
  auto* sampler =
      new (room) Sampler(*python, std::max<int64_t>(settings.interval_ns, kShortestIntervalNs), settings.is_program);

  // Checks that the calling thread's own stack, which does not change, is readable.
  OwnMemory::InstallHandlers();
  sampler->memory_.BindToThisThread();
  const bool readable = sampler->StartClocks();
  if (!readable) {
    munmap(room, sizeof(Sampler));
    return Fail("unsupported build of Python 3." + std::to_string(python->layout.minor) +
                ": its stacks are not at the expected address");
  }
  if (!sampler->ring_.Create(settings.ring_path, getpid(), settings.process_start_ticks, sampler->interval_ns(),
                             MonotonicNanos())) {
    const std::string reason = std::strerror(errno);
    munmap(room, sizeof(Sampler));
    return Fail(std::string(settings.ring_path) + ": cannot create the ring: " + reason);
  }
  return sampler;
}

Result<void> Sampler::AddNative() {
  const PthreadLock lock(&mutex_);
  const Result<NativeSampler*> native = NativeSampler::Create(python_, &memory_, &ring_);
  if (!native) return tl::unexpected(native.error());
  native_ = *native;
  return {};
}

Result<void> Sampler::AddAllocations(int64_t interval_bytes, int64_t budget_ns, bool small) {
  const AllocationSampler::Shared shared{&mutex_, &codes_, &ring_codes_, &ring_, &task_.task};
  const Result<AllocationSampler*> allocations = AllocationSampler::Create(python_, interval_bytes, budget_ns, shared);
  if (!allocations) return tl::unexpected(allocations.error());
  return HookAllocators(*allocations, small);
}

void Sampler::OnStart() {
  const PthreadLock lock(&mutex_);
  memory_.BindToThisThread();
  if (native_ != nullptr) native_->SetOwnThread(static_cast<int32_t>(syscall(SYS_gettid)));
}

bool Sampler::OnTick() {
  const PthreadLock lock(&mutex_);
  if (!FollowReader()) return true;
  SampleAll();
  ReadArrow(MonotonicNanos());
  return true;
}

void Sampler::FollowArrow(int64_t (*bytes)(const void* pool), const void* pool) {
  const PthreadLock lock(&mutex_);
  arrow_bytes_ = bytes;
  arrow_pool_ = pool;
}

void Sampler::ReadArrow(int64_t now_ns) {
  if (arrow_bytes_ == nullptr || now_ns - arrow_ns_ < kArrowIntervalNs) return;
  arrow_ns_ = now_ns;
  RingArrow arrow{};
  arrow.monotonic_ns = now_ns;
  arrow.bytes = arrow_bytes_(arrow_pool_);
  if (arrow.bytes == last_arrow_bytes_) return;
  ring_.AddArrow(arrow);
  if (ring_.Publish()) last_arrow_bytes_ = arrow.bytes;
}

bool Sampler::FollowReader() {
  const int64_t wanted_ns = ring_.WantedIntervalNs();
  if (wanted_ns == kRingPaused) {
    is_paused_ = true;
    SetInterval(kPausedIntervalNs);
    return false;
  }
  if (wanted_ns > 0) SetInterval(std::max(wanted_ns, kShortestIntervalNs));
  if (!is_paused_) return true;
  is_paused_ = false;
  StartClocks();
  if (native_ != nullptr) native_->StartClocks();
  return false;
}

bool Sampler::StartClocks() {
  memory_.BeginSample();
  uint64_t states[kThreads];
  const size_t count = walker_.ListThreads(states, kThreads);
  bool is_readable = false;
  for (size_t i = 0; i < count; ++i) {
    const WalkResult result = walker_.Walk(states[i], &raw_);
    Thread* thread = FindThread(states[i]);
    if (thread == nullptr) break;
    thread->last_tick = tick_;
    thread->tid = TidOf(raw_);
    thread->cpu_ns = ClockNanos(ClockOfThread(thread->tid));
    thread->wall_ns = MonotonicNanos();
    thread->walked_cpu_ns = -1;
    thread->depth = 0;
    is_readable =
        is_readable || (result == WalkResult::kGood && thread->tid == static_cast<int32_t>(syscall(SYS_gettid)));
  }
  return is_readable;
}

void Sampler::SampleAll() {
  const int64_t now_ns = MonotonicNanos();
  if (task_.task < 0) {
    // A worker that waits for its next task is not sampled; a waiting program is sampled less often.
    const int64_t cpu_ns = ClockNanos(CLOCK_PROCESS_CPUTIME_ID);
    const bool idle = idle_cpu_ns_ >= 0 && cpu_ns - idle_cpu_ns_ < kSomeCpuNs * 2;
    idle_cpu_ns_ = cpu_ns;
    idle_ticks_ = idle ? idle_ticks_ + 1 : 0;
    if (idle && (!is_program_ || idle_ticks_ % kIdleTicks != 0)) return;
  }
  ++tick_;
  memory_.BeginSample();
  uint64_t states[kThreads];
  const size_t count = walker_.ListThreads(states, kThreads);
  if (count == kThreads && !told_of_threads_) {
    told_of_threads_ = true;
    ring_.AddNotice(1, "32 or more Python threads: only 32 are sampled");
    ring_.Publish();
  }
  const uint64_t gil_holder = walker_.GilHolder();
  const uint64_t generation = walker_.CodeGeneration();
  if (generation != code_generation_) memory_.ForgetStable();
  if (native_ != nullptr) native_->BeginTick(now_ns);
  const uint32_t native_codes = native_ == nullptr ? 0 : native_->CodeGeneration();
  if (generation != code_generation_ || native_codes != native_codes_ || codes_.IsFull()) codes_.Clear();
  native_codes_ = native_codes;
  code_generation_ = generation;
  running_tid_ = 0;
  if (native_ != nullptr) {
    // Rotates the first thread, for fairness.
    for (size_t i = 0; i < count; ++i) AskThread(states[(i + tick_) % count], gil_holder, now_ns);
    NativeSampler::PythonThread python[kThreads];
    native_->AskOthers(python, ListPythonThreads(python), now_ns);
  }
  for (size_t i = 0; i < count; ++i) SampleThread(states[i], gil_holder, now_ns);
  if (native_ != nullptr) native_->SampleOthers(now_ns, task_.task);
  if (running_tid_ != 0) near_.Follow(getpid(), running_tid_);
  for (Thread& thread : Threads()) {
    if (tick_ - thread.last_tick > kForgottenAfter) thread.state = 0;
  }
  ring_.SetTorn(torn_);
  ring_.SetUnreadable(unreadable_);
}

Sampler::Thread* Sampler::FindThread(uint64_t state) {
  Thread* free = nullptr;
  for (Thread& thread : Threads()) {
    if (thread.state == state) return &thread;
    if (thread.state == 0 && free == nullptr) free = &thread;
  }
  if (free == nullptr && used_ < kThreads) free = &threads_[used_++];
  if (free == nullptr) return nullptr;
  free->state = state;
  free->tid = 0;
  free->cpu_ns = 0;
  free->wall_ns = free->walked_cpu_ns = free->state_cpu_ns = -1;
  free->depth = 0;
  free->truncated = false;
  return free;
}

// A thread's native frames can be read once its ID is known.
void Sampler::AskThread(uint64_t state, uint64_t gil_holder, int64_t now_ns) {
  const Thread* const thread = FindThread(state);
  if (thread == nullptr) return;
  if (thread->tid == 0) return SampleThread(state, gil_holder, now_ns);
  const int64_t cpu_ns = ClockNanos(ClockOfThread(thread->tid));
  const int64_t ran_ns = cpu_ns - thread->cpu_ns;
  if (ran_ns >= kSomeCpuNs) native_->Ask(thread->tid, state, cpu_ns, ran_ns, now_ns - thread->wall_ns, now_ns);
}

void Sampler::SampleThread(uint64_t state, uint64_t gil_holder, int64_t now_ns) {
  Thread* thread = FindThread(state);
  if (thread == nullptr) {
    ++unreadable_;
    return;
  }
  if (thread->last_tick == tick_) return;
  thread->last_tick = tick_;
  const bool is_new = thread->tid == 0;
  const int64_t cpu_before_ns = thread->tid == 0 ? -1 : ClockNanos(ClockOfThread(thread->tid));
  // A thread that has not run since its stack was read has the same stack.
  const bool same =
      cpu_before_ns >= 0 && cpu_before_ns == thread->walked_cpu_ns && thread->codes == codes_.Generation();
  codes_.Begin();
  auto answer = NativeSampler::Answer::kNone;
  if (native_ != nullptr) {
    native_->BeginStack();
    const bool ran_before = cpu_before_ns - thread->cpu_ns >= kSomeCpuNs;
    if (!same && !is_new) answer = native_->Read(thread->tid, state, ran_before);
    if (answer == NativeSampler::Answer::kLater) return;
  }
  const bool has_native = answer == NativeSampler::Answer::kRead;
  const bool is_read = same || (has_native ? ReadNative(thread) : ReadStack(state, thread));
  if (!is_read) return void(Publish());
  int64_t cpu_ns = has_native ? native_->Captured().CpuNs() : cpu_before_ns;
  thread->walked_cpu_ns = cpu_ns;
  if (!same && !has_native) cpu_ns = ClockNanos(ClockOfThread(thread->tid));
  if (thread->tid == 0 || cpu_ns < 0) return void(Publish());
  if (thread->walked_cpu_ns < 0) thread->walked_cpu_ns = cpu_ns;
  const bool ran = cpu_ns - thread->cpu_ns >= kSomeCpuNs;
  if (ran && running_tid_ == 0) running_tid_ = thread->tid;
  uint16_t flags = thread->truncated ? kRingTruncated : 0;
  if (state == gil_holder) flags |= kRingHoldsGil;
  if (ran) flags |= kRingOnCpu;
  const uint16_t native_state = native_ != nullptr && native_->HasAnswered() ? kRingRunnable : kRingAsleep;
  flags |= RunStateOf(thread, cpu_ns, now_ns, has_native ? native_state : 0);
  Write(thread, now_ns, cpu_ns, flags);
  if (is_new && native_ != nullptr) thread->walked_cpu_ns = -1;
}

// A thread that has not run since its state was read is in the same state: it cannot go to sleep without running.
// `known`: the state if already known, else 0.
uint16_t Sampler::RunStateOf(Thread* thread, int64_t cpu_ns, int64_t now_ns, uint16_t known) {
  if (cpu_ns == thread->state_cpu_ns) return thread->run_state;
  thread->state_cpu_ns = cpu_ns;
  const int64_t off_cpu_ns = thread->wall_ns < 0 ? now_ns : now_ns - thread->wall_ns - (cpu_ns - thread->cpu_ns);
  const bool ran_throughout = off_cpu_ns < interval_ns() / 10;
  if (known == 0) known = ran_throughout ? static_cast<uint16_t>(kRingRunnable) : ReadRunState(thread->tid);
  return thread->run_state = known;
}

// Codes count as defined only if their definitions were published.
bool Sampler::Publish() {
  const bool published = ring_.Publish();
  codes_.End(published);
  if (native_ != nullptr) native_->EndStack(published);
  return published;
}

bool Sampler::ReadStack(uint64_t state, Thread* thread) {
  const WalkResult result = walker_.Walk(state, &raw_);
  return TakeStack(thread, result, raw_);
}

// Reads the stack of the captured thread.
bool Sampler::ReadNative(Thread* thread) {
  const StackCapture& captured = native_->Captured();
  const RawStack& raw = captured.Python();
  if (!TakeStack(thread, captured.Walk(), raw)) return false;
  const MergedStack& merged = native_->Merge(thread->frames, raw.is_entry, thread->depth, thread->truncated);
  std::copy(merged.frames, merged.frames + merged.depth, thread->frames);
  thread->depth = static_cast<uint16_t>(merged.depth);
  thread->truncated = merged.is_truncated;
  return true;
}

bool Sampler::TakeStack(Thread* thread, WalkResult result, const RawStack& raw) {
  if (result == WalkResult::kTorn) ++torn_;
  if (result == WalkResult::kUnreadable) ++unreadable_;
  if (result == WalkResult::kTorn || result == WalkResult::kUnreadable) return false;
  if (const int32_t tid = TidOf(raw); thread->tid != tid) {
    // A new thread whose state reuses the address of an exited one.
    thread->tid = tid;
    thread->cpu_ns = native_ == nullptr ? 0 : native_->SampledCpuNs(tid);
    thread->wall_ns = thread->state_cpu_ns = -1;
  }
  for (size_t i = 0; i < raw.depth; ++i) {
    if (codes_.Find(walker_.layout(), &memory_, raw.frames[i], &ring_codes_, &thread->frames[i])) continue;
    ++torn_;
    thread->depth = 0;
    thread->walked_cpu_ns = -1;
    return false;
  }
  thread->depth = static_cast<uint16_t>(raw.depth);
  thread->truncated = raw.truncated;
  thread->codes = codes_.Generation();
  return true;
}

size_t Sampler::ListPythonThreads(NativeSampler::PythonThread* threads) const {
  size_t count = 0;
  for (const Thread& thread : std::span(threads_, used_)) {
    if (thread.state != 0 && thread.tid != 0) threads[count++] = {thread.tid, thread.cpu_ns};
  }
  return count;
}

// Unpublished time counts for the next sample: the thread's `cpu_ns` and `wall_ns` stay unchanged.
void Sampler::Write(Thread* thread, int64_t now_ns, int64_t cpu_ns, uint16_t flags) {
  RingSample sample{};
  sample.monotonic_ns = now_ns;
  sample.task = task_.task;
  sample.cpu_ns = cpu_ns - thread->cpu_ns;
  sample.wall_ns = thread->wall_ns < 0 ? 0 : now_ns - thread->wall_ns;
  sample.tid = thread->tid;
  sample.flags = flags;
  sample.frames = thread->depth;
  ring_.AddSample(sample, thread->frames);
  if (!Publish()) {
    // The codes of these frames may be unreported.
    thread->walked_cpu_ns = -1;
    return;
  }
  thread->cpu_ns = cpu_ns;
  thread->wall_ns = now_ns;
}

int32_t Sampler::TidOf(const RawStack& stack) {
  if (stack.native_id != 0) return static_cast<int32_t>(stack.native_id);
  int32_t tid = 0;
  const uint32_t offset = ThreadIdOffset();
  return offset != 0 && memory_.Read(stack.thread_id + offset, &tid, sizeof tid) ? tid : 0;
}

// Assigns the time until now to the previous task, on the last stack.
void Sampler::CutAtTask(int64_t now_ns) {
  if (is_paused_) return;
  const auto own_tid = static_cast<int32_t>(syscall(SYS_gettid));
  for (Thread& thread : Threads()) {
    if (thread.state == 0 || thread.tid == 0) continue;
    const int64_t cpu_ns = ClockNanos(ClockOfThread(thread.tid));
    if (cpu_ns < 0) continue;
    codes_.Begin();
    const bool ran = cpu_ns - thread.cpu_ns >= kSomeCpuNs;
    if (thread.codes != codes_.Generation()) thread.depth = 0;
    if (thread.tid == own_tid || ran) Write(&thread, now_ns, cpu_ns, ran ? kRingOnCpu : 0);
    thread.walked_cpu_ns = -1;
    thread.depth = 0;
  }
  if (native_ == nullptr) return;
  NativeSampler::PythonThread python[kThreads];
  native_->CutAtTask(python, ListPythonThreads(python), now_ns, task_.task);
}

void Sampler::SetTask(const Task& task) {
  const PthreadLock lock(&mutex_);
  const int64_t now_ns = MonotonicNanos();
  const int64_t process_cpu_ns = ClockNanos(CLOCK_PROCESS_CPUTIME_ID);
  CutAtTask(now_ns);
  if (task_.task >= 0) {
    RingTaskEnd end{};
    end.monotonic_ns = now_ns;
    end.process_cpu_ns = process_cpu_ns;
    end.task = task_.task;
    ring_.AddTaskEnd(end);
  }
  task_ = task;
  idle_cpu_ns_ = -1;
  if (task.task >= 0) {
    RingTaskBegin begin{};
    begin.monotonic_ns = now_ns;
    begin.process_cpu_ns = process_cpu_ns;
    begin.task = task.task;
    begin.sql_execution = task.sql_execution;
    begin.stage = task.stage;
    begin.stage_attempt = task.stage_attempt;
    begin.partition = task.partition;
    begin.attempt = task.attempt;
    ring_.AddTaskBegin(begin);
  }
  ring_.Publish();
  // A new task brings new functions, possibly at reused addresses.
  codes_.Clear();
  memory_.ForgetStable();
}

void Sampler::AddUdf(int32_t eval_type, const char* function, const char* file, uint32_t first_line) {
  const PthreadLock lock(&mutex_);
  ring_.AddUdf(task_.task, eval_type, function, file, first_line);
  ring_.Publish();
}

void Sampler::AddNotice(uint16_t level, const char* text) {
  const PthreadLock lock(&mutex_);
  ring_.AddNotice(level, text);
  ring_.Publish();
}

}  // namespace sparkprof

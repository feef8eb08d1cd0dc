// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "capture/cpython/thread_id.h"

namespace sparkprof {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr size_t kStackSize = 256 << 10;
// A thread that ran for less than this since the last sample woke up and went to sleep again.
constexpr int64_t kSomeCpuNs = 50'000;
// Ticks. A list of threads that was read while it changed may lack some.
constexpr uint32_t kForgottenAfter = 100;

int64_t ClockNanos(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * kNanosPerSecond + time.tv_nsec : -1;
}

int64_t MonotonicNanos() { return ClockNanos(CLOCK_MONOTONIC); }

// The clock of a thread of this process (linux/posix-timers.h: per-thread, scheduler).
clockid_t ClockOfThread(int32_t tid) { return static_cast<clockid_t>(~static_cast<uint32_t>(tid) << 3 | 4 | 2); }

class Lock {
 public:
  explicit Lock(pthread_mutex_t* mutex) : mutex_(mutex) { pthread_mutex_lock(mutex_); }
  ~Lock() { pthread_mutex_unlock(mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

uint64_t AddressOf(const char* symbol) { return reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, symbol)); }

}  // namespace

Sampler::Sampler(const CPythonLayout& layout, uint64_t runtime, uint64_t code_type, const Settings& settings)
    : interval_ns_(settings.interval_ns), walker_(layout, runtime, code_type, &memory_) {
  pthread_mutex_init(&mutex_, nullptr);
  pthread_mutex_init(&stop_mutex_, nullptr);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&stop_condition_, &attributes);
  pthread_condattr_destroy(&attributes);
}

Result<Sampler*> Sampler::Create(const Settings& settings) {
  const uint64_t runtime = AddressOf("_PyRuntime");
  if (runtime == 0) return Fail("this Python does not export _PyRuntime: it is no CPython, or a stripped static one");
  const Result<CPythonLayout> layout =
      LayoutFor(settings.version_hex, {reinterpret_cast<const char*>(runtime), kDebugOffsetsSize});
  if (!layout) return tl::unexpected(layout.error());
  ThreadIdOffset();  // looks it up now, while allocating is allowed
  // Memory of its own: a new thread's first malloc would reserve 64 MiB of addresses, and Spark may have limited them.
  void* room = mmap(nullptr, sizeof(Sampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return Fail(std::string("no memory for the sampler: ") + std::strerror(errno));
  auto* sampler = new (room) Sampler(*layout, runtime, AddressOf("PyCode_Type"), settings);

  // The calling thread's own stack, which stands still, must read as a stack.
  OwnMemory::InstallHandlers();
  sampler->memory_.BindToThisThread();
  sampler->memory_.BeginSample();
  uint64_t states[kThreads];
  const size_t count = sampler->walker_.ListThreads(states, kThreads);
  bool readable = false;
  for (size_t i = 0; i < count; ++i) {
    WalkResult result = WalkResult::kTorn;
    for (int attempt = 0; attempt < 8 && result == WalkResult::kTorn; ++attempt) {
      result = sampler->walker_.Walk(states[i], &sampler->raw_);
    }
    // What its threads have used before is none of ours.
    Thread* thread = sampler->FindThread(states[i]);
    thread->tid = sampler->TidOf(sampler->raw_);
    thread->cpu_ns = ClockNanos(ClockOfThread(thread->tid));
    thread->wall_ns = MonotonicNanos();
    readable = readable || (result == WalkResult::kGood && thread->tid == static_cast<int32_t>(syscall(SYS_gettid)));
  }
  if (!readable) {
    munmap(room, sizeof(Sampler));
    return Fail("this build of Python 3." + std::to_string(layout->minor) +
                " keeps its stacks elsewhere than CPython does: not sampled");
  }
  if (!sampler->ring_.Create(settings.ring_path, getpid(), settings.process_start_ticks, settings.interval_ns,
                             MonotonicNanos())) {
    const std::string reason = std::strerror(errno);
    munmap(room, sizeof(Sampler));
    return Fail(std::string(settings.ring_path) + ": cannot make the ring: " + reason);
  }
  return sampler;
}

bool Sampler::Start() {
  if (running_) return true;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  // Signals are the business of the process's other threads; faults come to whoever causes them.
  sigset_t all, before;
  sigfillset(&all);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, signal);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  stopping_ = false;
  running_ = pthread_create(&thread_, &attributes, Run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return running_;
}

void Sampler::Stop() {
  if (!running_) return;
  {
    const Lock lock(&stop_mutex_);
    stopping_ = true;
    pthread_cond_signal(&stop_condition_);
  }
  pthread_join(thread_, nullptr);
  running_ = false;
}

void* Sampler::Run(void* self) {
  static_cast<Sampler*>(self)->Loop();
  return nullptr;
}

void Sampler::Loop() {
  {
    const Lock lock(&mutex_);
    memory_.BindToThisThread();
  }
  int64_t due_ns = MonotonicNanos();
  uint32_t jitter = static_cast<uint32_t>(due_ns >> 10) | 1;
  const Lock lock(&stop_mutex_);
  while (!stopping_) {
    // A tenth of the interval at random, so that nothing periodic is always met at the same place.
    jitter = jitter * 1664525 + 1013904223;
    const int64_t wake_ns = due_ns + interval_ns_ / 10 * (jitter >> 16) / 65536;
    const timespec wake{wake_ns / kNanosPerSecond, wake_ns % kNanosPerSecond};
    while (!stopping_ && pthread_cond_timedwait(&stop_condition_, &stop_mutex_, &wake) == 0) continue;
    if (stopping_) break;
    {
      const Lock use(&mutex_);
      Tick();
    }
    due_ns += interval_ns_;
    const int64_t now_ns = MonotonicNanos();
    if (due_ns < now_ns) due_ns = now_ns + interval_ns_ / 2;
  }
}

void Sampler::Tick() {
  const int64_t now_ns = MonotonicNanos();
  if (task_.task < 0) {
    // A worker that waits for its next task is left alone.
    const int64_t cpu_ns = ClockNanos(CLOCK_PROCESS_CPUTIME_ID);
    const bool idle = idle_cpu_ns_ >= 0 && cpu_ns - idle_cpu_ns_ < kSomeCpuNs * 2;
    idle_cpu_ns_ = cpu_ns;
    if (idle) return;
  }
  ++tick_;
  memory_.BeginSample();
  uint64_t states[kThreads];
  const size_t count = walker_.ListThreads(states, kThreads);
  const uint64_t gil_holder = walker_.GilHolder();
  const uint64_t generation = walker_.CodeGeneration();
  if (generation != code_generation_ || codes_.IsFull()) codes_.Clear();
  code_generation_ = generation;
  for (size_t i = 0; i < count; ++i) SampleThread(states[i], gil_holder, now_ns);
  for (Thread& thread : threads_) {
    if (tick_ - thread.last_tick > kForgottenAfter) thread.state = 0;
  }
  ring_.SetTorn(torn_);
  ring_.SetUnreadable(unreadable_);
}

Sampler::Thread* Sampler::FindThread(uint64_t state) {
  Thread* free = nullptr;
  for (Thread& thread : threads_) {
    if (thread.state == state) return &thread;
    if (thread.state == 0 && free == nullptr) free = &thread;
  }
  if (free == nullptr) return nullptr;
  free->state = state;
  free->tid = 0;
  free->cpu_ns = 0;
  free->wall_ns = free->walked_cpu_ns = -1;
  free->depth = 0;
  free->truncated = false;
  return free;
}

void Sampler::SampleThread(uint64_t state, uint64_t gil_holder, int64_t now_ns) {
  Thread* thread = FindThread(state);
  if (thread == nullptr) return;
  thread->last_tick = tick_;
  const int64_t cpu_before_ns = thread->tid == 0 ? -1 : ClockNanos(ClockOfThread(thread->tid));
  // A thread that did not run since its stack was read has the same stack.
  const bool same =
      cpu_before_ns >= 0 && cpu_before_ns == thread->walked_cpu_ns && thread->codes == codes_.Generation();
  codes_.Begin();
  if (!same && !ReadStack(state, thread)) return codes_.End(ring_.Publish());
  const int64_t cpu_ns = same ? cpu_before_ns : ClockNanos(ClockOfThread(thread->tid));
  if (thread->tid == 0 || cpu_ns < 0) return codes_.End(ring_.Publish());
  thread->walked_cpu_ns = same ? cpu_before_ns : cpu_before_ns < 0 ? cpu_ns : cpu_before_ns;
  uint16_t flags = thread->truncated ? kRingTruncated : 0;
  if (state == gil_holder) flags |= kRingHoldsGil;
  if (cpu_ns - thread->cpu_ns >= kSomeCpuNs) flags |= kRingOnCpu;
  Write(thread, now_ns, cpu_ns, flags);
}

bool Sampler::ReadStack(uint64_t state, Thread* thread) {
  const WalkResult result = walker_.Walk(state, &raw_);
  if (result == WalkResult::kTorn) ++torn_;
  if (result == WalkResult::kUnreadable) ++unreadable_;
  if (result == WalkResult::kTorn || result == WalkResult::kUnreadable) return false;
  if (const int32_t tid = TidOf(raw_); thread->tid != tid) {
    // Another thread whose state lies where one that has ended had its own.
    thread->tid = tid;
    thread->cpu_ns = 0;
    thread->wall_ns = -1;
  }
  for (size_t i = 0; i < raw_.depth; ++i) {
    if (codes_.Find(walker_.layout(), &memory_, raw_.frames[i], &ring_, &thread->frames[i])) continue;
    ++torn_;
    thread->depth = 0;
    thread->walked_cpu_ns = -1;
    return false;
  }
  thread->depth = static_cast<uint16_t>(raw_.depth);
  thread->truncated = raw_.truncated;
  thread->codes = codes_.Generation();
  return true;
}

// What is not published goes into the next sample: `cpu_ns` and `wall_ns` of the thread stay where they were.
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
  const bool published = ring_.Publish();
  codes_.End(published);
  if (!published) {
    // The codes of these frames may not have been said.
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

// Time up to now belongs to the task before, on the stack that was seen last.
void Sampler::CutAtTask(int64_t now_ns) {
  const auto own_tid = static_cast<int32_t>(syscall(SYS_gettid));
  for (Thread& thread : threads_) {
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
}

void Sampler::SetTask(const Task& task) {
  const Lock lock(&mutex_);
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
  // A task brings its functions along, at addresses that others had.
  codes_.Clear();
}

void Sampler::AddUdf(int32_t eval_type, const char* function, const char* file, uint32_t first_line) {
  const Lock lock(&mutex_);
  ring_.AddUdf(task_.task, eval_type, function, file, first_line);
  ring_.Publish();
}

void Sampler::AddNotice(uint16_t level, const char* text) {
  const Lock lock(&mutex_);
  ring_.AddNotice(level, text);
  ring_.Publish();
}

}  // namespace sparkprof

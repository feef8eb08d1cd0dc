// SPDX-License-Identifier: Apache-2.0
#include "collector.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "own_threads.h"

namespace sparkprof {
namespace {

// Lifetime of the thread without a running function.
constexpr int64_t kLongestIdleNs = 1'000'000'000;

// Reads the first two numbers of /proc/self/statm: pages of the process, and pages in memory. Does not allocate.
bool ReadPages(int64_t* virtual_pages, int64_t* resident_pages) {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[128];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  char* end = nullptr;
  *virtual_pages = std::strtoll(text, &end, 10);
  *resident_pages = std::strtoll(end, nullptr, 10);
  return true;
}

}  // namespace

Collector::Collector(const OwnPython& python)
    : Ticker(0), walker_(python.layout, python.runtime, python.code_type, &memory_) {
  pthread_mutex_init(&mutex_, nullptr);
}

Result<Collector*> Collector::Create(uint32_t version_hex) {
  const Result<OwnPython> python = FindOwnPython(version_hex);
  if (!python) return tl::unexpected(python.error());
  void* room = mmap(nullptr, sizeof(Collector), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return Fail(std::string("cannot allocate memory: ") + std::strerror(errno));
  OwnMemory::InstallHandlers();
  return new (room) Collector(*python);
}

bool Collector::Enter(int64_t interval_ns, bool stacks, bool points) {
  {
    const PthreadLock lock(&mutex_);
    if (alive_ && this->interval_ns() == interval_ns && wants_stacks_ == stacks && wants_points_ == points) {
      inside_ = true;
      return true;
    }
  }
  Stop();
  SetInterval(interval_ns);
  wants_stacks_ = stacks;
  wants_points_ = points;
  NoteClocks();
  inside_ = alive_ = true;
  alive_ = Start();
  inside_ = alive_;
  return alive_;
}

size_t Collector::Leave() {
  const PthreadLock lock(&mutex_);
  inside_ = false;
  left_ns_ = MonotonicNanos();
  return samples_ + point_count_;
}

void Collector::End() {
  Stop();
  alive_ = false;
}

void Collector::Continue() {
  if (alive_) alive_ = Start();
}

void Collector::Clear() {
  const PthreadLock lock(&mutex_);
  if (stacks_.IsHalfFull()) {
    codes_.Clear();
    stacks_.Clear();
  } else {
    stacks_.ClearStacks();
  }
  samples_ = point_count_ = 0;
  ticks_for_point_ = 1;
  ticks_since_point_ = 0;
}

void Collector::OnStart() {
  const PthreadLock lock(&mutex_);
  memory_.BindToThisThread();
}

bool Collector::OnTick() {
  const PthreadLock lock(&mutex_);
  if (!inside_) {
    NoteClocks();
    alive_ = monotonic_ns_ - left_ns_ < kLongestIdleNs;
    return alive_;
  }
  if (wants_stacks_) AddStacks();
  if (wants_points_) AddPoint();
  return true;
}

void Collector::AddStacks() {
  memory_.BeginSample();
  uint64_t threads[kThreads];
  const size_t count = walker_.ListThreads(threads, kThreads);
  const uint64_t generation = walker_.CodeGeneration();
  if (generation != code_generation_ || codes_.IsFull()) codes_.Clear();
  code_generation_ = generation;
  for (size_t i = 0; i < count; ++i) AddStack(threads[i]);
}

void Collector::AddStack(uint64_t thread) {
  if (walker_.Walk(thread, &raw_) != WalkResult::kGood) return;
  codes_.Begin();
  bool readable = true;
  for (size_t i = 0; i < raw_.depth && readable; ++i) {
    readable = codes_.Find(walker_.layout(), &memory_, raw_.frames[i], &stacks_, &frames_[i]);
  }
  codes_.End(true);
  if (!readable) return;
  stacks_.Add(frames_, raw_.depth);
  ++samples_;
}

void Collector::AddPoint() {
  if (++ticks_since_point_ < ticks_for_point_) return;
  ticks_since_point_ = 0;
  if (point_count_ == kPoints) {
    for (size_t i = 0; i < kPoints / 2; ++i) points_[i] = points_[2 * i];
    point_count_ = kPoints / 2;
    ticks_for_point_ *= 2;
  }
  int64_t virtual_pages = 0, resident_pages = 0;
  rusage usage{};
  if (!ReadPages(&virtual_pages, &resident_pages) || getrusage(RUSAGE_SELF, &usage) != 0) return;
  const int64_t cpu_before_ns = cpu_ns_;
  const int64_t before_ns = monotonic_ns_;
  NoteClocks();
  if (monotonic_ns_ <= before_ns) return;
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  Point& point = points_[point_count_++];
  point.epoch_ms = ClockNanos(CLOCK_REALTIME) / 1'000'000;
  point.rss_bytes = resident_pages * page_bytes;
  point.virtual_bytes = virtual_pages * page_bytes;
  point.page_faults = usage.ru_minflt + usage.ru_majflt;
  point.cpu_percent =
      100.0 * static_cast<double>(cpu_ns_ - cpu_before_ns) / static_cast<double>(monotonic_ns_ - before_ns);
}

void Collector::NoteClocks() {
  cpu_ns_ = ClockNanos(CLOCK_PROCESS_CPUTIME_ID);
  monotonic_ns_ = MonotonicNanos();
}

}  // namespace sparkprof

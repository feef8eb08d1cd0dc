// SPDX-License-Identifier: Apache-2.0
#include "allocation_sampler.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "ticker.h"

namespace sparkprof {
namespace {

constexpr uint64_t kLowestAddress = 1 << 16;
constexpr uint64_t kHighestAddress = uint64_t{1} << 47;

}  // namespace

bool AllocationSampler::OwnedMemory::Read(uint64_t address, void* bytes, size_t size) {
  if (address < kLowestAddress || address > kHighestAddress) return false;
  std::memcpy(bytes, reinterpret_cast<const void*>(address), size);
  return true;
}

AllocationSampler::AllocationSampler(const OwnPython& python, int64_t interval_bytes, int64_t budget_ns,
                                     const Shared& shared, uint64_t state_function)
    : shared_(shared),
      state_of_this_thread_(reinterpret_cast<void* (*)()>(state_function)),
      bytes_(interval_bytes, budget_ns,
             static_cast<uint64_t>(MonotonicNanos()) ^ static_cast<uint64_t>(getpid()) << 40),
      walker_(python.layout, python.runtime, python.code_type, &memory_) {}

Result<AllocationSampler*> AllocationSampler::Create(const OwnPython& python, int64_t interval_bytes, int64_t budget_ns,
                                                     const Shared& shared) {
  if (python.layout.free_threaded) return Fail("free-threaded builds of Python are not supported");
  const uint64_t state_function = sparkprof::AddressOf("PyGILState_GetThisThreadState");
  if (state_function == 0) return Fail("this Python does not export PyGILState_GetThisThreadState");
  void* room = mmap(nullptr, sizeof(AllocationSampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return Fail(std::string("cannot allocate memory: ") + std::strerror(errno));
  return new (room) AllocationSampler(python, interval_bytes, budget_ns, shared, state_function);
}

void AllocationSampler::Sample(uint64_t address, size_t bytes, uint64_t interval) {
  const PthreadLock lock(shared_.mutex);
  RingAllocation allocation{};
  allocation.bytes = static_cast<int64_t>(bytes);
  allocation.weight = bytes_.Weigh(bytes, interval);
  if (shared_.ring->WantedIntervalNs() == kRingPaused) return;
  allocation.monotonic_ns = MonotonicNanos();
  allocation.task = *shared_.task;
  allocation.tid = static_cast<int32_t>(syscall(SYS_gettid));
  // The release of a block beyond the limit would be missed.
  allocation.number = live_.Size() < LiveBlocks::kMax ? ++last_number_ : 0;
  // An earlier block at this address was freed without the hooks.
  if (const uint64_t stale = live_.MayHave(address) ? live_.Remove(address) : 0; stale != 0) WriteRelease(stale);
  shared_.codes->Begin();
  // Otherwise it is dropped and counted.
  if (shared_.ring->HasRoomForAllocation()) ReadStack(&allocation);
  shared_.ring->AddAllocation(allocation, frames_);
  const bool published = shared_.ring->Publish();
  shared_.codes->End(published);
  if (published && allocation.number != 0) live_.Add(address, allocation.number);
  const int64_t now_ns = MonotonicNanos();
  bytes_.AddCost(now_ns, now_ns - allocation.monotonic_ns);
  bytes_.FollowRing(shared_.ring->FreeSixteenths());
}

// Reads the calling thread's stack, which only this thread changes. Leaves it empty if the thread runs no Python code.
void AllocationSampler::ReadStack(RingAllocation* allocation) {
  const auto state = reinterpret_cast<uint64_t>(state_of_this_thread_());
  if (state == 0 || walker_.Walk(state, &raw_) != WalkResult::kGood) return;
  const uint64_t generation = walker_.CodeGeneration();
  if (generation != code_generation_ || shared_.codes->IsFull()) shared_.codes->Clear();
  code_generation_ = generation;
  for (size_t i = 0; i < raw_.depth; ++i) {
    if (!shared_.codes->Find(walker_.layout(), &memory_, raw_.frames[i], shared_.sink, &frames_[i])) return;
  }
  allocation->frames = static_cast<uint16_t>(raw_.depth);
  allocation->flags = raw_.truncated ? kRingTruncated : 0;
}

void AllocationSampler::End(uint64_t address) {
  const PthreadLock lock(shared_.mutex);
  if (const uint64_t number = live_.Remove(address); number != 0) WriteRelease(number);
}

uint64_t AllocationSampler::TakeOut(uint64_t address) {
  const PthreadLock lock(shared_.mutex);
  return live_.Remove(address);
}

void AllocationSampler::Finish(uint64_t address, uint64_t number, bool moved) {
  const PthreadLock lock(shared_.mutex);
  if (moved) return WriteRelease(number);
  live_.Add(address, number);
}

void AllocationSampler::WriteRelease(uint64_t number) {
  RingRelease release{};
  release.monotonic_ns = MonotonicNanos();
  release.number = number;
  shared_.ring->AddRelease(release);
  shared_.ring->Publish();
}

}  // namespace sparkprof

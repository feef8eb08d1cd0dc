// SPDX-License-Identifier: Apache-2.0
#include "cpython/python_memory.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "base/hash_index.h"

namespace sparkprof {
namespace {

constexpr uint64_t kLowestAddress = 1 << 16;
constexpr uint64_t kHighestAddress = uint64_t{1} << 52;
// Regions with a smaller gap are fetched as one: copying the gap costs less than another region.
constexpr uint64_t kGap = 4096;
// Regions unused for this many samples are dropped.
constexpr uint32_t kMemoryLooks = 32;
constexpr uint64_t kMaxRegionSize = 64 << 10;
// Maximum number of vanished regions per call.
constexpr int kFetches = 8;

bool IsAddress(uint64_t address) { return address >= kLowestAddress && address <= kHighestAddress; }

int64_t CoarseNanos() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

bool ReadProcessMemory(pid_t pid, uint64_t address, void* bytes, size_t size) {
  if (!IsAddress(address)) return false;
  const iovec local{bytes, size};
  const iovec remote{reinterpret_cast<void*>(address), size};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

bool ProcessMemory::ReadStable(uint64_t address, void* bytes, size_t size) {
  if (size > kStableSize) return Read(address, bytes, size);
  Stable& kept = stable_[MixHash(address) % kStableEntries];
  const bool is_kept = kept.address == address && kept.size == size;
  if (is_kept && now_ns_ - kept.read_ns >= kStableNs) RenewUsed();
  if (!is_kept || kept.address == 0 || now_ns_ - kept.read_ns >= kStableNs) {
    kept.address = 0;
    if (!ReadOnce(address, kept.bytes, size)) return false;
    kept.address = address;
    kept.size = static_cast<uint32_t>(size);
    kept.read_ns = now_ns_;
  }
  if (!kept.is_used && used_count_ < kMaxUsed) {
    kept.is_used = true;
    used_[used_count_++] = &kept;
  }
  std::memcpy(bytes, kept.bytes, size);
  return true;
}

// Recently used regions will be used again: renews them in one call instead of one call each.
void ProcessMemory::RenewUsed() {
  iovec local[kMaxUsed], remote[kMaxUsed];
  size_t parts = 0;
  for (size_t i = 0; i < used_count_; ++i) {
    if (used_[i]->address == 0) continue;
    local[parts] = {used_[i]->bytes, used_[i]->size};
    remote[parts++] = {reinterpret_cast<void*>(used_[i]->address), used_[i]->size};
  }
  ssize_t got = process_vm_readv(pid_, local, parts, remote, parts, 0);
  for (size_t i = 0; i < used_count_; ++i) {
    Stable& renewed = *used_[i];
    renewed.is_used = false;
    if (renewed.address == 0) continue;
    got -= renewed.size;
    // A missing region and all later ones were not read.
    if (got < 0) renewed.address = 0;
    renewed.read_ns = now_ns_;
  }
  used_count_ = 0;
}

void ProcessMemory::ForgetStable() {
  for (Stable& kept : stable_) {
    kept.address = 0;
    kept.is_used = false;
  }
  used_count_ = 0;
}

ProcessMemory::Region* ProcessMemory::Find(uint64_t address) {
  Region* const end = regions_ + regions_count_;
  Region* const after =
      std::upper_bound(regions_, end, address, [](uint64_t a, const Region& region) { return a < region.begin; });
  return after == regions_ ? nullptr : after - 1;
}

bool ProcessMemory::Read(uint64_t address, void* bytes, size_t size) {
  if (Region* found = Find(address); found != nullptr && address < found->end && size <= found->end - address) {
    const size_t at = found->positions[image_] + (address - found->begin);
    if (found->last_look != look_) {
      found->last_look = look_;
      found->turn = turn_++;
    }
    if (is_again_) found->last_again = look_;
    if (found->positions[image_] != kNowhere && at + size <= filled_) {
      std::memcpy(bytes, bytes_ + at, size);
      return true;
    }
    return ReadOnce(address, bytes, size);
  }
  if (!ReadOnce(address, bytes, size)) return false;
  Remember(address, address + size);
  return true;
}

void ProcessMemory::Expect(uint64_t address, size_t size) {
  if (!IsAddress(address) || size > kMaxRegionSize) return;
  const Region* const found = Find(address);
  if (found == nullptr || address + size > found->end) Remember(address, address + size);
}

void ProcessMemory::Remember(uint64_t begin, uint64_t end) {
  if (wanted_count_ == kMaxWanted) return;
  regions_[regions_count_ + wanted_count_++] = {begin, end, look_, look_, turn_++};
}

void ProcessMemory::BeginLook(bool is_again) {
  ++look_;
  turn_ = 0;
  is_again_ = is_again;
  now_ns_ = CoarseNanos();
}

void ProcessMemory::BeginSample() {
  BeginLook(false);
  Rebuild();
  Fetch();
}

void ProcessMemory::LookAgain() {
  // Missing pages were read after the second image.
  const bool is_fetched = filled_ == size_ && wanted_count_ == 0;
  if (!is_fetched) BeginSample();
  BeginLook(true);
  if (is_fetched) image_ = 1 - image_;
}

void ProcessMemory::Rebuild() {
  const bool tidy = look_ - tidied_ >= kMemoryLooks;
  if (!tidy && wanted_count_ == 0) return;
  tidied_ = look_;
  Region* const end = regions_ + regions_count_ + wanted_count_;
  std::sort(regions_, end, [](const Region& a, const Region& b) { return a.begin < b.begin; });
  wanted_count_ = 0;
  size_t kept = 0;
  for (const Region* next = regions_; next != end; ++next) {
    const Region region = *next;
    if (look_ - region.last_look > kMemoryLooks) continue;
    Region* last = kept == 0 ? nullptr : &regions_[kept - 1];
    if (last != nullptr && region.begin <= last->end + kGap && region.end - last->begin <= kMaxRegionSize) {
      last->end = std::max(last->end, region.end);
      last->last_again = std::max(last->last_again, region.last_again);
      if (region.last_look > last->last_look) {
        last->last_look = region.last_look;
        last->turn = region.turn;
      }
    } else if (last != nullptr && region.begin < last->end) {
      if (region.end > last->end) {
        regions_[kept] = region;
        regions_[kept].begin = last->end;
        ++kept;
      }
    } else {
      regions_[kept++] = region;
    }
  }
  regions_count_ = std::min(kept, kMaxRegions);
}

// Orders the regions: the first reads of the last sample come last, preceded by its later reads, then by those of older
// samples. Drops regions beyond the limit.
void ProcessMemory::Arrange() {
  for (size_t i = 0; i < regions_count_; ++i) fetched_[i] = static_cast<uint16_t>(i);
  std::sort(fetched_, fetched_ + regions_count_, [this](uint16_t a, uint16_t b) {
    const Region &one = regions_[a], &other = regions_[b];
    return one.last_look != other.last_look ? one.last_look < other.last_look : one.turn > other.turn;
  });
  parts_ = size_ = 0;
  for (size_t i = 0; i < regions_count_; ++i) Add(0, &regions_[fetched_[i]]);
  image_size_ = size_;
  for (size_t i = regions_count_; i > 0; --i) {
    Region& region = regions_[fetched_[i - 1]];
    region.positions[1] = kNowhere;
    if (look_ - region.last_again <= kMemoryLooks) Add(1, &region);
  }
}

void ProcessMemory::Add(int image, Region* region) {
  const size_t length = region->end - region->begin;
  region->positions[image] = static_cast<uint32_t>(size_);
  remote_[parts_++] = {reinterpret_cast<void*>(region->begin), length};
  size_ += length;
}

void ProcessMemory::Forget(Region* region) {
  std::copy(region + 1, regions_ + regions_count_, region);
  --regions_count_;
}

void ProcessMemory::Fetch() {
  image_ = 0;
  filled_ = 0;
  for (int fetch = 0; fetch < kFetches && regions_count_ > 0; ++fetch) {
    for (Arrange(); size_ > kMaxBytes; Arrange()) Forget(&regions_[fetched_[0]]);
    const iovec local{bytes_, size_};
    const ssize_t got = process_vm_readv(pid_, &local, 1, remote_, parts_, 0);
    filled_ = got > 0 ? static_cast<size_t>(got) : 0;
    if (filled_ >= image_size_) return;
    // Regions after a missing one were not read either.
    size_t gone = 0;
    while (regions_[fetched_[gone]].positions[0] + remote_[gone].iov_len <= filled_) ++gone;
    Forget(&regions_[fetched_[gone]]);
  }
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "capture/cpython/python_memory.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "base/hash_index.h"

namespace sparkprof {
namespace {

constexpr uint64_t kLowestAddress = 1 << 16;
constexpr uint64_t kHighestAddress = uint64_t{1} << 52;
// Two regions that are nearer than this are fetched as one: a copied byte costs less than a part of the call.
constexpr uint64_t kGap = 4096;
// A region that no sample needed for so long is forgotten.
constexpr uint32_t kMemorySamples = 16;
constexpr uint64_t kMaxRegionSize = 64 << 10;
// So many regions that are gone may be found in one call.
constexpr int kFetches = 8;

int64_t CoarseNanos() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

bool ReadProcessMemory(pid_t pid, uint64_t address, void* bytes, size_t size) {
  if (address < kLowestAddress || address > kHighestAddress) return false;
  const iovec local{bytes, size};
  const iovec remote{reinterpret_cast<void*>(address), size};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

bool ProcessMemory::ReadStable(uint64_t address, void* bytes, size_t size) {
  if (size > kStableSize) return Read(address, bytes, size);
  Stable& kept = stable_[MixHash(address) % kStableEntries];
  const int64_t now_ns = CoarseNanos();
  if (kept.address != address || kept.size != size || now_ns - kept.read_ns >= kStableNs) {
    kept.address = 0;
    if (!ReadOnce(address, kept.bytes, size)) return false;
    kept.address = address;
    kept.size = size;
    kept.read_ns = now_ns;
  }
  std::memcpy(bytes, kept.bytes, size);
  return true;
}

void ProcessMemory::ForgetStable() {
  for (Stable& kept : stable_) kept.address = 0;
}

const ProcessMemory::Region* ProcessMemory::Find(uint64_t address) const {
  const Region* const end = regions_ + regions_count_;
  const Region* const after =
      std::upper_bound(regions_, end, address, [](uint64_t a, const Region& region) { return a < region.begin; });
  return after == regions_ ? nullptr : after - 1;
}

bool ProcessMemory::Read(uint64_t address, void* bytes, size_t size) {
  if (const Region* found = Find(address); found != nullptr && address < found->end && size <= found->end - address) {
    const size_t at = static_cast<size_t>(image_) * image_size_ + found->position + (address - found->begin);
    if (at + size <= filled_) {
      regions_[found - regions_].last_use = sample_;
      std::memcpy(bytes, bytes_ + at, size);
      return true;
    }
  }
  if (!ReadOnce(address, bytes, size)) return false;
  Remember(address, address + size);
  return true;
}

void ProcessMemory::Expect(uint64_t address, size_t size) {
  if (address < kLowestAddress || address > kHighestAddress || size > kMaxRegionSize) return;
  const Region* const found = Find(address);
  if (found == nullptr || address + size > found->end) Remember(address, address + size);
}

void ProcessMemory::Remember(uint64_t begin, uint64_t end) {
  if (wanted_count_ == kMaxWanted) return;
  regions_[regions_count_ + wanted_count_++] = {begin, end, 0, sample_};
}

void ProcessMemory::BeginSample() {
  ++sample_;
  Rebuild();
  Fetch();
}

void ProcessMemory::LookAgain() {
  if (filled_ == 2 * image_size_) {
    image_ = 1 - image_;
  } else {
    BeginSample();
  }
}

void ProcessMemory::Rebuild() {
  const bool tidy = sample_ - tidied_ >= kMemorySamples;
  if (!tidy && wanted_count_ == 0) return;
  tidied_ = sample_;
  Region* const end = regions_ + regions_count_ + wanted_count_;
  std::sort(regions_, end, [](const Region& a, const Region& b) { return a.begin < b.begin; });
  wanted_count_ = 0;
  size_t kept = 0;
  for (const Region* next = regions_; next != end; ++next) {
    const Region region = *next;
    if (sample_ - region.last_use > kMemorySamples) continue;
    Region* last = kept == 0 ? nullptr : &regions_[kept - 1];
    if (last != nullptr && region.begin <= last->end + kGap && region.end - last->begin <= kMaxRegionSize) {
      last->end = std::max(last->end, region.end);
      last->last_use = std::max(last->last_use, region.last_use);
    } else if (last != nullptr && region.begin < last->end) {
      if (region.end > last->end) regions_[kept++] = {last->end, region.end, 0, region.last_use};
    } else {
      regions_[kept++] = region;
    }
  }
  regions_count_ = std::min(kept, kMaxRegions);
}

void ProcessMemory::Fetch() {
  image_ = 0;
  filled_ = 0;
  for (int fetch = 0; fetch < kFetches && regions_count_ > 0; ++fetch) {
    size_t size = 0, count = 0;
    for (; count < regions_count_; ++count) {
      Region& region = regions_[count];
      const size_t length = region.end - region.begin;
      if (size + length > kMaxBytes / 2) break;
      region.position = static_cast<uint32_t>(size);
      remote_[count] = {reinterpret_cast<void*>(region.begin), length};
      size += length;
    }
    regions_count_ = count;
    image_size_ = size;
    std::copy_n(remote_, count, remote_ + count);
    const iovec local{bytes_, 2 * size};
    const ssize_t got = process_vm_readv(pid_, &local, 1, remote_, 2 * count, 0);
    filled_ = got > 0 ? static_cast<size_t>(got) : 0;
    if (filled_ >= image_size_) return;
    // What lies behind a region that is gone was not read either.
    size_t gone = 0;
    while (regions_[gone].position + remote_[gone].iov_len <= filled_) ++gone;
    std::copy(regions_ + gone + 1, regions_ + regions_count_, regions_ + gone);
    --regions_count_;
  }
}

}  // namespace sparkprof

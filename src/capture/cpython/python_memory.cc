// SPDX-License-Identifier: Apache-2.0
#include "capture/cpython/python_memory.h"

#include <algorithm>
#include <cstring>

namespace sparkprof {
namespace {

constexpr uint64_t kLowestAddress = 1 << 16;
constexpr uint64_t kHighestAddress = uint64_t{1} << 52;
// Two regions that are nearer than this are fetched as one: a copied byte costs less than a part of the call.
constexpr uint64_t kGap = 256;
// A region that no sample needed for so long is forgotten.
constexpr uint32_t kMemorySamples = 16;
constexpr size_t kMaxRegions = 1000;  // IOV_MAX is 1024
constexpr uint64_t kMaxRegionSize = 256 << 10;

}  // namespace

bool ProcessMemory::ReadOnce(uint64_t address, void* bytes, size_t size) {
  if (address < kLowestAddress || address > kHighestAddress) return false;
  const iovec local{bytes, size};
  const iovec remote{reinterpret_cast<void*>(address), size};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

bool ProcessMemory::Read(uint64_t address, void* bytes, size_t size) {
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                      [](uint64_t a, const Region& region) { return a < region.begin; });
  if (after != regions_.begin()) {
    Region& region = *std::prev(after);
    const uint64_t at = address - region.begin;
    if (at < region.filled && size <= region.filled - at) {
      region.last_use = sample_;
      std::memcpy(bytes, bytes_.data() + region.position + at, size);
      return true;
    }
  }
  if (!ReadOnce(address, bytes, size)) return false;
  Remember(address, address + size);
  return true;
}

void ProcessMemory::Expect(uint64_t address, size_t size) {
  if (address < kLowestAddress || address > kHighestAddress || size > kMaxRegionSize) return;
  Remember(address, address + size);
}

void ProcessMemory::Remember(uint64_t begin, uint64_t end) {
  if (wanted_.size() < kMaxRegions) wanted_.push_back({begin, end, 0, 0, sample_});
}

void ProcessMemory::BeginSample() {
  ++sample_;
  Rebuild();
  Fetch();
}

void ProcessMemory::Rebuild() {
  std::erase_if(regions_, [&](const Region& region) {
    return sample_ - region.last_use > kMemorySamples || region.filled != region.end - region.begin;
  });
  if (!wanted_.empty()) {
    regions_.insert(regions_.end(), wanted_.begin(), wanted_.end());
    wanted_.clear();
    std::sort(regions_.begin(), regions_.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
    size_t kept = 0;
    for (const Region& region : regions_) {
      Region* last = kept == 0 ? nullptr : &regions_[kept - 1];
      if (last != nullptr && region.begin <= last->end + kGap && region.end - last->begin <= kMaxRegionSize) {
        last->end = std::max(last->end, region.end);
        last->last_use = std::max(last->last_use, region.last_use);
      } else if (last != nullptr && region.begin < last->end) {
        if (region.end > last->end) regions_[kept++] = {last->end, region.end, 0, 0, region.last_use};
      } else {
        regions_[kept++] = region;
      }
    }
    regions_.resize(std::min(kept, kMaxRegions));
  }
  remote_.clear();
  size_t size = 0;
  for (Region& region : regions_) {
    region.position = size;
    remote_.push_back({reinterpret_cast<void*>(region.begin), region.end - region.begin});
    size += region.end - region.begin;
  }
  bytes_.resize(size);
}

void ProcessMemory::Fetch() {
  for (Region& region : regions_) region.filled = 0;
  if (regions_.empty()) return;
  const iovec local{bytes_.data(), bytes_.size()};
  const ssize_t got = process_vm_readv(pid_, &local, 1, remote_.data(), remote_.size(), 0);
  size_t left = got > 0 ? static_cast<size_t>(got) : 0;
  // What lies behind a region that is gone was not read either; Rebuild forgets it all and it is learnt again.
  for (Region& region : regions_) {
    region.filled = std::min<size_t>(left, region.end - region.begin);
    left -= region.filled;
  }
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr_profile/unfreed_memory.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sparkprof {

void UnfreedMemory::Add(const JfrSample& jfr, const Sample& sample) {
  calls_.push_back({jfr.epoch_ns, jfr.address, jfr.event == Event::kFree || jfr.weight <= 0, {sample, jfr.tid}});
}

std::vector<UnfreedMemory::Allocation> UnfreedMemory::Take(double tail) {
  // A recording has each thread's calls in order, but not those of all.
  std::vector<Call> calls = std::exchange(calls_, {});
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.time_ns < b.time_ns; });
  if (calls.empty()) return {};
  std::unordered_map<uint64_t, size_t> unfreed;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].frees) {
      unfreed.erase(calls[i].address);
    } else {
      unfreed[calls[i].address] = i;
    }
  }
  std::vector<size_t> kept;
  kept.reserve(unfreed.size());
  for (const auto& [address, call] : unfreed) kept.push_back(call);
  std::sort(kept.begin(), kept.end());
  // Times are in order, so that no difference is negative.
  const auto since_first = [&](const Call& call) {
    return static_cast<double>(static_cast<uint64_t>(call.time_ns) - static_cast<uint64_t>(calls.front().time_ns));
  };
  const double last = since_first(calls.back()) * (1 - tail);
  std::vector<Allocation> allocations;
  for (const size_t call : kept) {
    if (since_first(calls[call]) <= last) allocations.push_back(calls[call].allocation);
  }
  return allocations;
}

}  // namespace sparkprof

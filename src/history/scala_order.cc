// SPDX-License-Identifier: Apache-2.0
#include "history/scala_order.h"

#include <algorithm>
#include <numeric>

namespace sparkprof {
namespace {

constexpr size_t kSmallMap = 4;
constexpr uint32_t kBitsOfLevel = 5;
constexpr uint32_t kBitsOfHash = 32;

std::vector<size_t> Positions(size_t count) {
  std::vector<size_t> positions(count);
  std::iota(positions.begin(), positions.end(), size_t{0});
  return positions;
}

// Scala's hash mixing for its tries.
uint32_t Improve(int32_t hash) {
  auto h = static_cast<uint32_t>(hash);
  h += ~(h << 9);
  h ^= h >> 14;
  h += h << 4;
  return h ^ (h >> 10);
}

// Adds a trie node: entries that are alone in their slot first, then child nodes, each sorted by slot.
void AddNode(const std::vector<uint32_t>& hashes, std::vector<size_t> entries, uint32_t shift,
             std::vector<size_t>* order) {
  if (shift >= kBitsOfHash) {
    order->insert(order->end(), entries.begin(), entries.end());
    return;
  }
  std::vector<std::vector<size_t>> slots(size_t{1} << kBitsOfLevel);
  for (const size_t entry : entries) slots[(hashes[entry] >> shift) & (slots.size() - 1)].push_back(entry);
  for (const std::vector<size_t>& slot : slots) {
    if (slot.size() == 1) order->push_back(slot.front());
  }
  for (std::vector<size_t>& slot : slots) {
    if (slot.size() > 1) AddNode(hashes, std::move(slot), shift + kBitsOfLevel, order);
  }
}

}  // namespace

std::vector<size_t> ScalaMapOrder(const std::vector<int32_t>& hashes) {
  if (hashes.size() <= kSmallMap) return Positions(hashes.size());
  std::vector<uint32_t> improved(hashes.size());
  std::transform(hashes.begin(), hashes.end(), improved.begin(), Improve);
  std::vector<size_t> order;
  order.reserve(hashes.size());
  AddNode(improved, Positions(hashes.size()), 0, &order);
  return order;
}

std::vector<size_t> ScalaMutableMapOrder(const std::vector<int32_t>& hashes) {
  size_t size = 16;
  while (static_cast<double>(hashes.size()) >= static_cast<double>(size) * 0.75) size *= 2;
  const auto mixed = [&](size_t position) {
    const auto hash = static_cast<uint32_t>(hashes[position]);
    return static_cast<int32_t>(hash ^ (hash >> 16));
  };
  const auto slot = [&](size_t position) { return static_cast<uint32_t>(mixed(position)) & (size - 1); };
  std::vector<size_t> order = Positions(hashes.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return slot(a) != slot(b) ? slot(a) < slot(b) : mixed(a) < mixed(b); });
  return order;
}

int32_t ScalaHash(int64_t number) {
  if (number == static_cast<int32_t>(number)) return static_cast<int32_t>(number);
  const auto bits = static_cast<uint64_t>(number);
  return static_cast<int32_t>(bits ^ (bits >> 32));
}

int32_t ScalaHash(std::string_view text) {
  uint32_t hash = 0;
  for (const char character : text) hash = hash * 31 + static_cast<unsigned char>(character);
  return static_cast<int32_t>(hash);
}

}  // namespace sparkprof

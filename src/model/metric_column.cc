// SPDX-License-Identifier: Apache-2.0
#include "model/metric_column.h"

#include <bit>
#include <cstring>
#include <utility>

namespace sparkprof {

MetricColumn::MetricColumn(const MetricColumn& other) { *this = other; }

MetricColumn& MetricColumn::operator=(const MetricColumn& other) {
  if (this == &other) return *this;
  blocks_.clear();
  for (const Block& block : other.blocks_) {
    Block& copy = blocks_.emplace_back();
    Widen(&copy, block.width);
    if (block.width > 0) std::memcpy(copy.bytes.get(), block.bytes.get(), BytesOf(block.width));
  }
  size_ = other.size_;
  return *this;
}

size_t MetricColumn::MemoryBytes() const {
  size_t bytes = blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_) bytes += BytesOf(block.width);
  return bytes;
}

// The minimum number of bytes for the value and its sign.
int MetricColumn::WidthOf(int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  return std::bit_width(magnitude) / 8 + 1;
}

// Store() and Load() access eight bytes even in the last row.
size_t MetricColumn::BytesOf(int width) {
  return width == 0 ? 0 : kBlockRows * static_cast<size_t>(width) + sizeof(int64_t);
}

void MetricColumn::Store(Block* block, size_t row, int64_t value) {
  char* const at = block->bytes.get() + row * static_cast<size_t>(block->width);
  const uint64_t of_row = ~uint64_t{0} >> (64 - 8 * block->width);
  uint64_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  bits = (bits & ~of_row) | (static_cast<uint64_t>(value) & of_row);
  std::memcpy(at, &bits, sizeof bits);
}

void MetricColumn::Widen(Block* block, int width) {
  if (width == 0) return;
  Block wider;
  wider.width = width;
  wider.bytes = std::make_unique<char[]>(BytesOf(width));
  if (block->width > 0) {
    for (size_t row = 0; row < kBlockRows; ++row) Store(&wider, row, Load(*block, row));
  }
  *block = std::move(wider);
}

void MetricColumn::Set(size_t row, int64_t value) {
  Block& block = blocks_[row / kBlockRows];
  if (value == 0 && block.width == 0) return;
  const int width = WidthOf(value);
  if (width > block.width) Widen(&block, width);
  Store(&block, row % kBlockRows, value);
}

}  // namespace sparkprof

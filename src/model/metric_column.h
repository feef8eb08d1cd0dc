// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

namespace sparkprof {

// A column of mostly small numbers: each block of rows uses the bytes per row that its largest number needs, and none
// if all are 0. Read and written by row like a vector. Not for concurrent writes.
class MetricColumn {
 public:
  class Reference {
   public:
    Reference(MetricColumn* column, size_t row) : column_(column), row_(row) {}
    operator int64_t() const { return column_->Get(row_); }  // NOLINT(google-explicit-constructor): as vector's
    Reference& operator=(int64_t value) {
      column_->Set(row_, value);
      return *this;
    }
    // Self-assignment writes the existing value.
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
    Reference& operator=(const Reference& other) { return *this = static_cast<int64_t>(other); }
    Reference& operator+=(int64_t value) { return *this = *this + value; }

   private:
    MetricColumn* column_;
    size_t row_;
  };

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const int64_t*;
    using reference = int64_t;

    Iterator() = default;
    Iterator(const MetricColumn* column, size_t row) : column_(column), row_(row) {}
    int64_t operator*() const { return column_->Get(row_); }
    Iterator& operator++() { return *this += 1; }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++row_;
      return before;
    }
    Iterator& operator--() { return *this += -1; }
    Iterator& operator+=(difference_type rows) {
      row_ += static_cast<size_t>(rows);
      return *this;
    }
    Iterator operator+(difference_type rows) const { return Iterator(*this) += rows; }
    difference_type operator-(const Iterator& other) const {
      return static_cast<difference_type>(row_) - static_cast<difference_type>(other.row_);
    }
    auto operator<=>(const Iterator& other) const { return row_ <=> other.row_; }
    bool operator==(const Iterator& other) const { return row_ == other.row_; }

   private:
    const MetricColumn* column_ = nullptr;
    size_t row_ = 0;
  };

  MetricColumn() = default;
  MetricColumn(MetricColumn&&) = default;
  MetricColumn& operator=(MetricColumn&&) = default;
  MetricColumn(const MetricColumn& other);
  MetricColumn& operator=(const MetricColumn& other);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t row) const { return Get(row); }
  Reference operator[](size_t row) { return {this, row}; }
  int64_t at(size_t row) const { return row < size_ ? Get(row) : 0; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

  void push_back(int64_t value) {
    if (size_ % kBlockRows == 0) blocks_.emplace_back();
    ++size_;
    if (value != 0) Set(size_ - 1, value);
  }

  bool operator==(const MetricColumn& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }

  size_t MemoryBytes() const;

 private:
  static constexpr size_t kBlockRows = 1024;

  struct Block {
    std::unique_ptr<char[]> bytes;  // little-endian, two's complement, `width` bytes per row
    int width = 0;
  };

  static_assert(std::endian::native == std::endian::little);

  static int WidthOf(int64_t value);
  static size_t BytesOf(int width);
  static void Store(Block* block, size_t row, int64_t value);
  static void Widen(Block* block, int width);

  // The block's width must not be 0. Reads eight bytes, which exist even after the last row.
  static int64_t Load(const Block& block, size_t row) {
    uint64_t bits = 0;
    std::memcpy(&bits, block.bytes.get() + row * static_cast<size_t>(block.width), sizeof bits);
    const int unused = 64 - 8 * block.width;
    return static_cast<int64_t>(bits << unused) >> unused;
  }

  int64_t Get(size_t row) const {
    const Block& block = blocks_[row / kBlockRows];
    return block.width == 0 ? 0 : Load(block, row % kBlockRows);
  }
  void Set(size_t row, int64_t value);

  std::vector<Block> blocks_;
  size_t size_ = 0;
};

}  // namespace sparkprof

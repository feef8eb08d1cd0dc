// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash_index.h"
#include "model/samples/sample.h"

namespace sparkprof {

// A SampleTable for many millions of rows. Rows of one executor and time are in one of many small indexes, which stays
// in the CPU cache while segments of that time are added.
class MergedSamples {
 public:
  // Reserves address space for at most `rows`. Memory is used only for rows that are not merged.
  void Reserve(size_t rows) { rows_.reserve(rows); }

  void Add(const Sample& sample, int32_t executor);

  // Call between two JVMs. They share no threads, so later samples never merge with earlier ones.
  void EndSource();

  // The rows in insertion order.
  std::vector<Sample> Take();

 private:
  static constexpr size_t kIndexes = 4096;
  static constexpr size_t kMaxIndexed = 1 << 20;  // rows; an index takes 16 to 32 bytes per row

  std::vector<Sample> rows_;
  size_t first_indexed_ = 0;
  std::vector<HashIndex> indexes_ = std::vector<HashIndex>(kIndexes);
};

}  // namespace sparkprof

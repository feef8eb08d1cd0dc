// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sparkprof {

// Iteration orders of Scala 2.13 hash maps. Some lists of Spark's REST API have this order. Input: Scala hashes of the
// keys, in insertion order. Output: positions in that list.

// Order of an immutable Map: insertion order up to 4 entries.
std::vector<size_t> ScalaMapOrder(const std::vector<int32_t>& hashes);

std::vector<size_t> ScalaMutableMapOrder(const std::vector<int32_t>& hashes);

int32_t ScalaHash(int64_t number);
int32_t ScalaHash(std::string_view text);  // ASCII only

}  // namespace sparkprof

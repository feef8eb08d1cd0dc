// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sparkprof {

// Some lists of Spark's REST API come out of hash maps of Scala 2.13: equal answers need their order. Keys are given by
// Scala's hash, and in the order in which they were added; results are positions in that list.

// Order of an immutable Map: in order of insertion up to 4 entries.
std::vector<size_t> ScalaMapOrder(const std::vector<int32_t>& hashes);

// Order of a mutable HashMap.
std::vector<size_t> ScalaMutableMapOrder(const std::vector<int32_t>& hashes);

int32_t ScalaHash(int64_t number);
int32_t ScalaHash(std::string_view text);  // of ASCII

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/segment.h"

namespace sparkprof {

// Samples of segments with the same owner may be in one segment: one JVM, application and executor, and equally wide
// time buckets.
std::string SamplesOwner(const Source& source);

// Widens the time buckets of the samples to `bucket_ns` and adds up those that agree in everything else. The first
// segment gets the samples of all, with threads and stacks; the others keep the rest. The segments have one
// SamplesOwner. Does nothing if `bucket_ns` is not a multiple
// of their width, or no wider.
void CoarsenSamples(int64_t bucket_ns, std::vector<Segment>* segments);

}  // namespace sparkprof

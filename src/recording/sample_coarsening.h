// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/segment/segment.h"

namespace sparkprof {

// Segments with the same owner (JVM, application, executor, bucket width) may be merged.
std::string SamplesOwner(const Source& source);

// Widens the samples' time buckets to `bucket_ns` and merges samples that differ only in weight. The first segment gets
// all samples with threads and stacks; the others keep the rest. All segments must have the same SamplesOwner. Does
// nothing unless `bucket_ns` is a wider multiple of their width.
void CoarsenSamples(int64_t bucket_ns, std::vector<Segment>* segments);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The detail that a report omits to stay small.
struct Coarseness {
  int64_t bucket_ns = 0;
  double min_share = 0;  // stacks below this share of their event's weight are merged into [other]
};

// Steps from full detail to least: first wider time buckets, then fewer stacks.
std::vector<Coarseness> CoarsenessSteps(const Application& application);

inline constexpr FrameId kOtherFrame = 0xFFFFFFFF;  // "[other]", in no table

// Samples as embedded in a report, with separate tables of only the used rows.
struct CoarseSamples {
  int64_t bucket_ns = 0;
  std::vector<Sample> rows;              // time 0 is the application's start; `stack` refers to `stacks`
  std::vector<StackTable::Node> stacks;  // row 0 = root; `frame` refers to `frames`
  std::vector<FrameId> frames;           // frames of the application, or kOtherFrame; 0 = no frame
};

// The application's samples, merged to `coarseness`. Keeps the sums of weights and counts. Reserves memory for about
// `expected_rows`.
CoarseSamples Coarsen(const Application& application, const Coarseness& coarseness, size_t expected_rows = 0);

// Estimated number of rows of Coarsen: counted for one in 64 groups of threads, tasks and stacks.
size_t EstimateRows(const Application& application, const Coarseness& coarseness);

// The size in bytes that these samples add to a report; within a factor of two.
size_t EstimateEmbeddedSize(const CoarseSamples& samples);

// A sentence about the detail that `coarseness` omits; empty if none.
std::string DescribeCoarseness(const Application& application, const Coarseness& coarseness);

}  // namespace sparkprof

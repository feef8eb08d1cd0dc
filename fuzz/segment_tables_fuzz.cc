// SPDX-License-Identifier: Apache-2.0
// Segments with odd tables: exactly those without an impossible reference, column or count are decoded, and whatever is
// decoded can be redacted, written and made coarser.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/redaction/redaction.h"
#include "model/segment/segment_codec.h"
#include "recording/sample_coarsening.h"
#include "recording/source_grouping.h"
#include "segment_generator.h"

namespace {

using namespace sparkprof;

void Demand(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kCoarse = 10'000'000'000;
  SegmentGenerator generator(data, size);
  std::vector<Segment> segments;
  for (size_t i = 1 + generator.Pick(2); i > 0 && generator.IsPossible(); --i) {
    Result<Segment> segment = DecodeSegment(generator.Message());
    Demand(segment.has_value() == generator.IsPossible(),
           segment ? "an impossible segment is decoded" : "a possible segment: " + segment.error().message);
    if (!segment) break;
    RedactSegment(&*segment);
    Demand(DecodeSegment(EncodeSegment(*segment)).has_value(), "an encoded segment cannot be decoded");
    segments.push_back(std::move(*segment));
  }
  if (!generator.IsPossible()) return 0;
  std::vector<Segment> coarse = segments;
  const std::string owner = SamplesOwner(segments.front().source);
  std::erase_if(coarse, [&](const Segment& segment) { return SamplesOwner(segment.source) != owner; });
  CoarsenSamples(kCoarse, &coarse);
  for (const Segment& segment : coarse)
    Demand(DecodeSegment(EncodeSegment(segment)).has_value(), "a coarse segment cannot be decoded");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/segment.h"

namespace sparkprof {

// Encodes the segment as the protobuf message of proto/sparkprof/v1/segment.proto.
std::string EncodeSegment(const Segment& segment);

// Validates everything: columns of different lengths, IDs outside of their tables and cycles in the stack tree are
// errors that name the table and the row.
Result<Segment> DecodeSegment(std::string_view message);

}  // namespace sparkprof

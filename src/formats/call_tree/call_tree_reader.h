// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// A call tree as JSON: sparkprof's own (`flame --format json`), and that of d3-flame-graph, which is its root alone:
// nodes with name, value and children. A value includes the callees; without `self`, the rest of it is the node's own.
// The root is not a frame. The baseline of a comparison becomes the event "before".
Result<void> ReadCallTree(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeCallTree(std::string_view head);

}  // namespace sparkprof

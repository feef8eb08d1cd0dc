// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes {"event","unit","total","count","root":NODE} with NODE =
// {"name","value","self","count","kind","file"?,"line"?,"children"}: the nested form of d3-flame-graph. Value and self
// are ns, bytes or a count. With a base event, "total" and nodes also have "base", and nodes "baseSelf".
void WriteProfileJson(const Profile& profile, EventId event, std::optional<EventId> base_event, OutputFile* output);

// "jit", "python", … as in docs/report-data.md; "other" for an unknown kind.
std::string_view FrameKindName(FrameKind kind);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/flame_tree.h"

namespace sparkprof {

// {"event","unit","total","count","root":NODE}, NODE =
// {"name","value","self","count","kind","file"?,"line"?,"children"}, which is the nested form that d3-flame-graph
// takes, too. Value and self are ns or bytes.
std::string RenderFlameJson(const Application& application, const FlameTree& tree, Event event);

// "jit", "python", … as in docs/report-data.md; "other" for an unknown kind.
std::string_view FrameKindName(FrameKind kind);

}  // namespace sparkprof

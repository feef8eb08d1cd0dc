// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/flame_tree.h"

namespace sparkprof {

// One line for each node with a weight of its own: "root;…;leaf WEIGHT", as flamegraph.pl and many others read it.
// `counts` prints samples instead of ns or bytes. A ';' inside a name becomes ':' and a control character a space.
std::string RenderCollapsed(const Application& application, const FlameTree& tree, bool counts);

}  // namespace sparkprof

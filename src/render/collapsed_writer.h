// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// One line for each stack with a weight of its own: "root;…;leaf WEIGHT", as flamegraph.pl and many others read it, in
// the order of the names. `counts` prints samples instead of the weight. A ';' inside a name becomes ':' and a control
// character a space.
void WriteCollapsed(const Profile& profile, EventId event, bool counts, OutputFile* output);

// Both events' weights behind each stack, as difffolded.pl writes them.
void WriteCollapsedPair(const Profile& profile, EventId before, EventId after, OutputFile* output);

}  // namespace sparkprof

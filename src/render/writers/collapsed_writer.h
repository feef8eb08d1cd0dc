// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/output_file.h"
#include "model/profile.h"

namespace sparkprof {

// Writes one line per stack with self weight: "root;…;leaf WEIGHT", as read by flamegraph.pl and other tools, sorted by
// name. `counts` writes samples instead of weights if available. Replaces ';' in names by ':' and control characters by
// spaces.
void WriteCollapsed(const Profile& profile, EventId event, bool counts, OutputFile* output);

// Appends the weights of both events to each stack, like difffolded.pl.
void WriteCollapsedPair(const Profile& profile, EventId before, EventId after, OutputFile* output);

}  // namespace sparkprof

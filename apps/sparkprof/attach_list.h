// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Prints Spark's drivers, executors, masters and workers on this host with their Python processes, from /proc and the
// JVMs' counters; with `all_jvms`, also JVMs without Spark. Measures CPU for half a second. Returns the exit code, 1 if
// there are none.
int ListAttachable(bool all_jvms, bool as_json);

}  // namespace sparkprof

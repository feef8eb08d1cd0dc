// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Prints drivers, executors, masters and workers of Spark on this host with their Python processes, from /proc and the
// JVMs' counters; with `all_jvms`, JVMs without Spark, too. Measures CPU for half a second. Returns the exit code, 1 if
// there are none.
int ListAttachable(bool all_jvms, bool as_json);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Raises the number of files and sockets that this process may have open, from the soft limit, often 1,024, to the hard
// limit. For programs with thousands of connections; those that call select() need the soft limit.
void RaiseDescriptorLimit();

}  // namespace sparkprof

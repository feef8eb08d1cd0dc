// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// Raises the limit of open files and sockets from the soft limit, often 1,024, to the hard limit. For programs with
// thousands of connections; programs that call select() need the soft limit.
void RaiseDescriptorLimit();

}  // namespace sparkprof

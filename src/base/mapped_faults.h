// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// From here on, parts of a mapped file that cannot be read are zeros: the file became shorter, or its disk fails.
// Otherwise the kernel ends the process with SIGBUS. For a process that reads files which others may change, with
// readers that check what they read. Replaces the handler of SIGBUS; call once, before there are threads.
void ReadZerosInMappedFaults();

// The mapping at `begin` is one of those, until ForgetMapped, unless there are thousands. Without effect in other
// processes.
void TrackMapped(const void* begin, size_t size);
// Call before the mapping ends.
void ForgetMapped(const void* begin);

}  // namespace sparkprof

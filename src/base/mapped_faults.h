// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// Makes unreadable parts of mapped files read as zeros, if the file became shorter or its disk fails. Otherwise the
// kernel ends the process with SIGBUS. For processes that read files which others may change, with readers that
// validate data. Replaces the handler of SIGBUS; call once, before threads are started.
void ReadZerosInMappedFaults();

// Applies this to the mapping at `begin` until ForgetMapped, unless there are thousands of mappings. No effect without
// ReadZerosInMappedFaults.
void TrackMapped(const void* begin, size_t size);
// Call before the mapping ends.
void ForgetMapped(const void* begin);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allocation_sampler.h"
#include "base/result.h"

namespace sparkprof {

// Functions of Python's and NumPy's allocators in this process that call the previous ones and report to an
// AllocationSampler. They stay until the process ends. Call with the GIL.
//
// Python passes requests above 512 bytes on to its raw domain, which is always hooked, and maps arenas for smaller
// ones. An arena counts as one allocation, of the line that needed it, unless `small`: then each small request counts.

// Reports to `sampler` from now on.
Result<void> HookAllocators(AllocationSampler* sampler, bool small);

// Hooks Python again if another tool removed the hooks: tracemalloc restores what it found.
void KeepAllocatorsHooked();

// Hooks NumPy 1.22 to 2.4, which allocates its arrays outside of Python's domains. `table`: the content of its
// _ARRAY_API.
void HookNumpy(void* const* table);

}  // namespace sparkprof

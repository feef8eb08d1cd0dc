// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/owners/cpu_owners.h"
#include "base/json_writer.h"

namespace sparkprof {

// "owners":[{"owner":"stage 0.0","kind":"task","cpuMs":7120},…],"ownedShare":0.99, members of an open object; the share
// is null where the CPU time of the processes is unknown.
void WriteOwners(const CpuOwners& owners, JsonWriter* json);

}  // namespace sparkprof

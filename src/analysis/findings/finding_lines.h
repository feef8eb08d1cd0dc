// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/findings/finding.h"

namespace sparkprof {

// Gives a finding that no sample and no stack trace gave a line the lines of the program that run its stages; without
// any, the table that the first one's query writes, or else that it reads.
void NameLines(const Application& application, const WorkNames& names, Finding* finding);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recording/source_grouping.h"

namespace sparkprof {

// Role of sources that are monitors of hosts, not JVMs.
inline constexpr char kNodeRole[] = "node";

bool IsNode(const RecordedSource& source);

// Moves what nodes recorded about processes of `applications` to them: each gets another source, with the largest of
// the remaining processes as its neighbors. A process belongs to the application that the node's monitor read, else to
// the one whose agent saw it if the user matches.
void JoinNodes(std::vector<RecordedApplication>* applications);

}  // namespace sparkprof

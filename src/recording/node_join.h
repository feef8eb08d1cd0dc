// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "recording/source_grouping.h"

namespace sparkprof {

// The role of a source that is a host's monitor, not a JVM.
inline constexpr char kNodeRole[] = "node";

bool IsNode(const RecordedSource& source);

// Moves what nodes recorded about processes of applications that were read, too, to these applications: each gets
// another source, with the largest of the other processes as its neighbors. A process belongs to the application that
// the node's monitor read, or, where it could read none, whose agent saw it, if it belongs to the application's user.
void JoinNodes(std::vector<RecordedApplication>* applications);

}  // namespace sparkprof

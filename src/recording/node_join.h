// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "recording/source_grouping.h"

namespace sparkprof {

// Role of sources that are monitors of hosts, not JVMs.
inline constexpr char kNodeRole[] = "node";

bool IsNode(const RecordedSource& source);

bool IsHostAddress(std::string_view host);

// Compares host names with or without their domains.
bool IsSameHost(std::string_view a, std::string_view b);

// Moves what nodes recorded about processes of `applications` to them: each gets another source, with the largest of
// the remaining processes as its neighbors. A process belongs to the application that the node's monitor read, else to
// the one whose agent saw it if the user matches.
void JoinNodes(std::vector<RecordedApplication>* applications);

// A node's other processes with the highest CPU and disk usage while an application ran, summed by application, or by
// user and name. `is_own` identifies the application's processes. At most kMaxNeighbors.
std::vector<Neighbor> FindNeighbors(const RecordedApplication& application, const RecordedSource& node,
                                    const std::function<bool(const Process&)>& is_own);

inline constexpr size_t kMaxNeighbors = 12;

}  // namespace sparkprof

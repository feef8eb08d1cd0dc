// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/udfs.h"
#include "model/application.h"

namespace sparkprof {

// Fills UdfCost::rows from the SQL plans: "number of output rows" of the nodes that ran the function, by kind of node,
// stage and the function's name in the node's text. Left alone where several functions of one name could be meant, and
// where a plan says nothing (functions of RDDs).
void FillRows(const Application& application, std::vector<UdfCost>* costs);

}  // namespace sparkprof

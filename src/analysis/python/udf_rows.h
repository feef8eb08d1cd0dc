// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/python/udf_cost.h"
#include "model/application.h"

namespace sparkprof {

// Sets UdfCost::rows from the SQL plans: "number of output rows" of the nodes that ran the function, by node type,
// stage and the function's name in the node's text. Unset if several functions of this name are possible, or without a
// plan (functions of RDDs).
void FillRows(const Application& application, std::vector<UdfCost>* costs);

}  // namespace sparkprof

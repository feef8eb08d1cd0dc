// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/answers.h"
#include "base/json_writer.h"

namespace sparkprof {

// "account":{"core":[{"part":"stage 3.0: GC","payer":null,"ms":1200,"share":17.6},…],"wall":[{…,"reason":null},…]}, a
// member of an open object: see analysis/account/account.h. Equal parts of all applications are one, the largest first;
// the shares of each list add up to 100. "core" is null where the cores of all applications are unknown. An application
// that still runs adds "running":true.
void WriteAccount(const std::vector<AnsweredRun>& runs, JsonWriter* json);

}  // namespace sparkprof

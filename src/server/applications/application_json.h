// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

// One object of the list of applications, see docs/server-api.md.
void WriteApplicationRow(const ApplicationRow& row, JsonWriter* json);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The first table in the text of a command, as Spark quotes it: "spark_catalog.default.sales" of
// "Append, `spark_catalog`.`default`.`sales`, …". Empty if there is none.
std::string TableNameIn(std::string_view text);

}  // namespace sparkprof

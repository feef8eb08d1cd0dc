// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// The first table in a command's text, as quoted by Spark: "spark_catalog.default.sales" in "Append,
// `spark_catalog`.`default`.`sales`, …". Empty if there is none.
std::string TableNameIn(std::string_view text);

}  // namespace sparkprof

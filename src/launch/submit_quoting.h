// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Splits PYSPARK_SUBMIT_ARGS into words like PySpark (Python's shlex.split: spaces, '…', "…", \). Fails on an
// unterminated quotation, as PySpark does.
Result<std::vector<std::string>> SplitWords(std::string_view text);

}  // namespace sparkprof

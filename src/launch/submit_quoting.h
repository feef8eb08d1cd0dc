// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// The words of PYSPARK_SUBMIT_ARGS, split as PySpark splits them (Python's shlex.split: blanks, '…', "…", \). Fails on
// a quotation that does not end, as PySpark does.
Result<std::vector<std::string>> SplitWords(std::string_view text);

}  // namespace sparkprof

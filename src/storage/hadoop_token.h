// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Reads the HDFS delegation token in a Hadoop token file, as written by `hdfs fetchdt` and YARN
// (org.apache.hadoop.security.Credentials, version 0), and encodes it for WebHDFS URLs. Fails if the file has none.
Result<std::string> HdfsTokenOf(std::string_view token_file);

}  // namespace sparkprof

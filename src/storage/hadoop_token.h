// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// The delegation token for HDFS in a token file of Hadoop, as `hdfs fetchdt` and YARN write it
// (org.apache.hadoop.security.Credentials, version 0), encoded as WebHDFS has it in URLs. Fails if the file has none.
Result<std::string> HdfsTokenOf(std::string_view token_file);

}  // namespace sparkprof

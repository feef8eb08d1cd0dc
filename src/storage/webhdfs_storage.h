// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "storage/storage.h"

namespace sparkprof {

// Opens hdfs://HOST[:PORT]/PATH or webhdfs://… over HTTP, swebhdfs://… over HTTPS, as HADOOP_USER_NAME or the user of
// this process. If hdfs: has the port of Hadoop's own protocol, uses the default HTTP port.
Result<std::unique_ptr<Storage>> OpenWebHdfsStorage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

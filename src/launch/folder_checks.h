// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/check.h"
#include "launch/submit_command.h"

namespace sparkprof {

// The plugin does not profile below this `ulimit -f`, in bytes (same value in NativeFiles.java): agent, samples and
// recording are files.
inline constexpr int64_t kLeastFileSize = int64_t{64} << 20;

// Checks the limit of this process, which the job inherits.
Check CheckFileSize();
Check JudgeFileSize(int64_t limit_bytes);

// Folders in which the plugin of a local driver may put its agent, in the plugin's order: java.io.tmpdir,
// spark.local.dir, the environment's LOCAL_DIRS and SPARK_LOCAL_DIRS, /dev/shm, the working directory.
std::vector<std::string> TemporaryFolders(const SubmitRequest& request);

// Checks whether one of them is writable, permits execution and has enough space.
Check CheckTemporaryFolders(const std::vector<std::string>& folders);

// Executors of a standalone cluster on this machine (spark://localhost, 127.0.0.2, this host's name) copy the plugin's
// jar into their temporary folder: spark.local.dir, SPARK_LOCAL_DIRS, or Java's. Without enough space there, the job
// would fail.
Check CheckRoomForJar(const SubmitRequest& request);

// Fails if a recording cannot be written to the existing folder: no permission, disk or quota full, file size limit.
// Writes and deletes a small file.
Result<void> TryWriting(const std::string& folder);

}  // namespace sparkprof

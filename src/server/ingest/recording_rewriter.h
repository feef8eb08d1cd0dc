// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/segment.h"

namespace sparkprof {

// Files with the rewritten recordings of all of an application's JVMs. They sort before those of single JVMs, so that a
// reader who finds a segment in both takes it from them.
// Buckets of 0 ns: samples are as they were recorded.
struct RewrittenFile {
  std::string_view name;
  int64_t bucket_ns;
};
inline constexpr RewrittenFile kRewrittenFiles[] = {
    {"+compacted.sprof", 0}, {"+coarse-10s.sprof", 10'000'000'000}, {"+coarse-60s.sprof", 60'000'000'000}};
std::string RewrittenPath(const std::string& folder, int64_t bucket_ns);

// Result of a first reading of files.
struct RecordingSurvey {
  std::vector<std::string> whole;  // files without damage
  std::vector<std::string> damaged;
  bool ended = true;        // all JVMs have sent their last segment
  int64_t modified_ns = 0;  // the latest of the files
  uint64_t bytes = 0;       // of the whole files
};
Result<RecordingSurvey> SurveyRecordings(const std::vector<std::string>& paths);

// Writes the segments of `paths` into the new file `target`, each once, many in a block, and samples in buckets of
// `bucket_ns` (0: as they are). `target` has the time `modified_ns`, and is complete and durable or not there.
Result<void> RewriteRecordings(const std::vector<std::string>& paths, int64_t bucket_ns, int64_t modified_ns,
                               const std::string& target);

// Makes names in a folder durable.
Result<void> SyncFolder(const std::string& path);

}  // namespace sparkprof

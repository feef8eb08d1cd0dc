// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/segment/segment.h"

namespace sparkprof {

// Files with rewritten recordings of all JVMs of an application. Their names sort before those of single JVMs, so a
// reader that finds a segment in both uses the rewritten one. 0 ns = samples as recorded.
struct RewrittenFile {
  std::string_view name;
  int64_t bucket_ns;
};
inline constexpr RewrittenFile kRewrittenFiles[] = {
    {"+compacted.sprof", 0}, {"+coarse-10s.sprof", 10'000'000'000}, {"+coarse-60s.sprof", 60'000'000'000}};
std::string RewrittenPath(const std::string& folder, int64_t bucket_ns);

// Result of a first pass over files.
struct RecordingSurvey {
  std::vector<std::string> whole;  // undamaged files
  std::vector<std::string> damaged;
  bool ended = true;        // whether all JVMs have sent their last segment
  int64_t modified_ns = 0;  // latest modification time of the files
  uint64_t bytes = 0;       // size of the undamaged files
};
Result<RecordingSurvey> SurveyRecordings(const std::vector<std::string>& paths);

// Writes the segments of `paths` to the new file `target`, each once, many per block, with samples in buckets of
// `bucket_ns` (0 = as recorded). `target` gets the modification time `modified_ns`. It is complete and durable, or does
// not exist.
Result<void> RewriteRecordings(const std::vector<std::string>& paths, int64_t bucket_ns, int64_t modified_ns,
                               const std::string& target);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/decompress.h"
#include "base/result.h"
#include "inputs/inputs.h"

namespace sparkprof {

// Bytes shared by several sources: a mapped file, or a nested archive in memory.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

struct ArchiveEntry {
  std::string name;  // with folders: "container_1_2_01_000001/stderr"
  std::string host;  // empty if the archive does not contain it
  int64_t size = 0;
  OpenBytes open;
};

struct Archive {
  std::vector<ArchiveEntry> entries;
  std::vector<Unrecognized> damaged;  // unreadable entries; names within the archive
};

enum class ArchiveKind : uint8_t {
  kNone,
  kZip,
  kTar,
  kTFile,        // YARN's aggregated logs: org.apache.hadoop.io.file.tfile
  kIndexedFile,  // YARN's newer format: LogAggregationIndexedFileController
};

// Detects the kind from a file's first and last bytes (kArchiveTailBytes, or fewer in a shorter file).
ArchiveKind DetectArchive(std::string_view head, std::string_view tail);
inline constexpr size_t kArchiveTailBytes = 36;

// Lists an archive. `name` is for messages.
Result<Archive> ListArchive(ArchiveKind kind, const SharedBytes& archive, const std::string& name,
                            const ExpansionLimits& limits);

// Lists the logs in the output of `yarn logs`, which `open` returns (decompressed).
Result<Archive> ListYarnText(const OpenBytes& open);

}  // namespace sparkprof

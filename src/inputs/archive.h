// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/compression.h"
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

// Requires the first and last kArchiveTailBytes bytes, or all of a shorter file.
ArchiveKind DetectArchive(std::string_view head, std::string_view tail);
inline constexpr size_t kArchiveTailBytes = 36;

// Lists an archive. `name` is for messages.
Result<Archive> ListArchive(ArchiveKind kind, const SharedBytes& archive, const std::string& name,
                            const ExpansionLimits& limits);

// Lists the logs in the output of `yarn logs`, which `open` returns (decompressed).
Result<Archive> ListYarnText(const OpenBytes& open);

// Lists the outputs of a Jupyter notebook, which `open` returns (decompressed): "outputs" has the logs and errors of
// all cells, "cell-3" a fragment that the third cell printed.
bool IsNotebook(std::string_view head);
Result<Archive> ListNotebook(const OpenBytes& open);

// Lists the files of a zip archive (including zip64), read with libzip. Several threads may have entries open.
Result<Archive> ListZip(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

// Whether a tar archive starts with `head` (its first header is enough): POSIX ustar and pax, GNU's form, and Unix V7,
// which is recognized only by the header's checksum.
bool IsTar(std::string_view head);

// Lists the regular files in a tar archive. Reports a truncated last file and sparse files as damaged. Format: POSIX.1,
// pax; GNU tar's manual, "Basic Tar Format".
Result<Archive> ListTar(const SharedBytes& archive, const std::string& name);

// YARN's aggregated logs of one node, "CONTAINER/LOG" each: a TFile (Hadoop's org.apache.hadoop.io.file.tfile, on
// BCFile) that maps containers to logs, as AggregatedLogFormat writes it. Supports the compressions none, gz (which is
// zlib) and zstd.
bool IsTFileTail(std::string_view tail);
Result<Archive> ListTFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

// Decodes "gz", "none" or "zstd" of Hadoop's TFile compression. The source reports damage and exceeded limits.
Result<std::unique_ptr<ByteSource>> DecodeHadoop(std::string_view algorithm, std::unique_ptr<ByteSource> source,
                                                 int64_t compressed_size, const std::string& name,
                                                 const ExpansionLimits& limits);

// YARN's aggregated logs of one node in the newer format (LogAggregationIndexedFileController): a UUID of 36
// characters, then for each cycle "\n", individually compressed logs, the Java-serialized index of all cycles so far,
// its length (32 bits, big-endian) and the UUID again.
bool IsIndexedFile(std::string_view head);
Result<Archive> ListIndexedFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

}  // namespace sparkprof

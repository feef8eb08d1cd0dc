// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/archive.h"

namespace sparkprof {

// YARN's aggregated logs of one node, "CONTAINER/LOG" each: a TFile (Hadoop's org.apache.hadoop.io.file.tfile, on
// BCFile) that maps containers to logs, as AggregatedLogFormat writes it. Supports the compressions none, gz (which is
// zlib) and zstd.
bool IsTFileTail(std::string_view tail);
Result<Archive> ListTFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

// Decodes "gz", "none" or "zstd" of Hadoop's TFile compression. The source reports damage and exceeded limits.
Result<std::unique_ptr<ByteSource>> DecodeHadoop(std::string_view algorithm, std::unique_ptr<ByteSource> source,
                                                 int64_t compressed_size, const std::string& name,
                                                 const ExpansionLimits& limits);

}  // namespace sparkprof

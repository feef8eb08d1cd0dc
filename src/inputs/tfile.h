// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/archive.h"

namespace sparkprof {

// YARN's aggregated logs of one node, "CONTAINER/LOG" each: a TFile (Hadoop's org.apache.hadoop.io.file.tfile, BCFile
// below it) of container → logs, as AggregatedLogFormat writes it. Compression none, gz (which is zlib) and zstd.
bool IsTFileTail(std::string_view tail);
Result<Archive> ListTFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

// "gz", "none", "zstd" of Hadoop's TFile compression; damage and limits are the source's errors.
Result<std::unique_ptr<ByteSource>> DecodeHadoop(std::string_view algorithm, std::unique_ptr<ByteSource> source,
                                                 int64_t compressed_size, const std::string& name,
                                                 const ExpansionLimits& limits);

}  // namespace sparkprof

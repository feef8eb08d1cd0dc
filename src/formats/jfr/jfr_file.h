// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "formats/jfr/jfr_reader.h"

namespace sparkprof {

// How a JFR file was read: sums over its chunks.
struct JfrFileStatus {
  uint64_t chunks = 0;          // read
  uint64_t damaged_chunks = 0;  // whole, but their metadata cannot be read; skipped
  uint64_t events = 0;
  uint64_t unknown_events = 0;
  uint64_t damaged_events = 0;
  uint64_t missing_stacks = 0;
  uint64_t unread_bytes = 0;    // in chunks that were read, behind a damaged record
  uint64_t trailing_bytes = 0;  // at the end of the file, of no whole chunk
  std::string first_error;      // of the first damaged chunk or of the trailing bytes, with its offset
};

// Reads a file of one or more chunks through a memory mapping, one chunk after the other; see JfrReader. Fails when
// the file cannot be opened or does not begin with a JFR chunk: "PATH: offset 0: expected a JFR chunk …".
Result<JfrFileStatus> ReadJfrFile(const std::string& path, StringTable* strings, FrameTable* frames, StackTable* stacks,
                                  JfrHandler* handler);

}  // namespace sparkprof

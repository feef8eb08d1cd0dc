// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_reader.h"
#include "model/samples/stack_tables.h"

namespace {

struct Ignore : sparkprof::JfrHandler {
  void OnSample(const sparkprof::JfrSample&) override {}
};

}  // namespace

// A file of chunks. A chunk's size is the first thing that mutation breaks: what is there is read under its true size
// too.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sparkprof;
  StackTables tables;
  Ignore handler;
  JfrReader reader(&tables.strings, &tables.frames, &tables.stacks, &handler);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  size_t offset = 0;
  while (offset < bytes.size()) {
    const std::string_view rest = std::string_view(bytes).substr(offset);
    const Result<JfrChunkHeader> header = ParseJfrChunkHeader(rest, "fuzz", offset);
    const bool is_whole = header && header->constants_offset != 0 && header->metadata_offset != 0;
    if (!is_whole || header->size > rest.size()) break;
    (void)reader.ReadChunk(rest.substr(0, header->size), "fuzz", offset);
    offset += header->size;
  }
  if (offset == 0 && bytes.size() >= 16) {
    for (size_t i = 0; i < 8; ++i) bytes[8 + i] = static_cast<char>(uint64_t{size} >> (56 - 8 * i));
    (void)reader.ReadChunk(bytes, "fuzz", 0);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_file.h"

#include <fmt/format.h>

#include "base/file.h"
#include "formats/jfr/jfr_chunk_header.h"

namespace sparkprof {
namespace {

void Add(const JfrChunkStatus& chunk, JfrFileStatus* file) {
  ++file->chunks;
  file->events += chunk.events;
  file->unknown_events += chunk.unknown_events;
  file->damaged_events += chunk.damaged_events;
  file->missing_stacks += chunk.missing_stacks;
  file->unread_bytes += chunk.unread_bytes;
}

}  // namespace

Result<JfrFileStatus> ReadJfrFile(const std::string& path, StringTable* strings, FrameTable* frames, StackTable* stacks,
                                  JfrHandler* handler) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  const std::string_view bytes = file->Bytes();
  if (const auto header = ParseJfrChunkHeader(bytes, path, 0); !header) return tl::unexpected(header.error());

  JfrFileStatus status;
  JfrReader reader(strings, frames, stacks, handler);
  const auto note = [&](const std::string& error) {
    if (status.first_error.empty()) status.first_error = error;
  };
  size_t offset = 0;
  while (offset < bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    const Result<size_t> size = JfrChunkSize(rest, path, offset);
    if (!size || *size == 0) {
      note(size ? fmt::format("{}: offset {}: the last chunk is not whole: {} bytes of it are there", path, offset,
                              rest.size())
                : size.error().message);
      status.trailing_bytes = rest.size();
      break;
    }
    const auto chunk = reader.ReadChunk(rest.substr(0, *size), path, offset);
    if (chunk) {
      Add(*chunk, &status);
    } else {
      ++status.damaged_chunks;
      note(chunk.error().message);
    }
    offset += *size;
    file->Release(offset);
  }
  return status;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
// Any bytes as a zip, a tar, a TFile, an IndexedFile and as what `yarn logs` prints: whatever is listed can be opened
// and ends.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "inputs/archive.h"

namespace {

void ReadEntries(const sparkprof::Result<sparkprof::Archive>& archive) {
  constexpr size_t kMaxEntries = 50, kMaxBytes = 1 << 20;
  if (!archive) return;
  for (size_t row = 0; row < std::min(archive->entries.size(), kMaxEntries); ++row) {
    const auto source = archive->entries[row].open();
    if (!source) continue;
    std::optional<sparkprof::Error> error;
    sparkprof::ReadUpTo(source->get(), kMaxBytes, &error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto owner = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  const sparkprof::SharedBytes bytes{owner, *owner};
  const std::string_view tail = bytes.bytes.substr(size - std::min(size, sparkprof::kArchiveTailBytes));
  sparkprof::ExpansionLimits limits;
  limits.max_bytes = 1 << 20;
  const sparkprof::ArchiveKind kind = sparkprof::DetectArchive(bytes.bytes, tail);
  if (kind != sparkprof::ArchiveKind::kNone) {
    ReadEntries(sparkprof::ListArchive(kind, bytes, "fuzz", limits));
  } else {
    ReadEntries(sparkprof::ListYarnText([bytes] {
      return sparkprof::Result<std::unique_ptr<sparkprof::ByteSource>>(sparkprof::ViewSource(bytes.bytes, bytes.owner));
    }));
  }
  return 0;
}

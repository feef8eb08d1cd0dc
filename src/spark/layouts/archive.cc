// SPDX-License-Identifier: Apache-2.0
#include "spark/layouts/archive.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "spark/layouts/indexed_file.h"
#include "spark/layouts/tfile.h"
#include "spark/layouts/zip_archive.h"

namespace sparkprof {
namespace {

class SharedSource : public ByteSource {
 public:
  SharedSource(std::shared_ptr<const void> owner, std::string_view view) : owner_(std::move(owner)), left_(view) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    const size_t count = std::min(size, left_.size());
    if (count > 0) std::memcpy(bytes, left_.data(), count);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view left_;
};

}  // namespace

std::unique_ptr<ByteSource> ShareSource(const SharedBytes& shared, std::string_view view) {
  return std::make_unique<SharedSource>(shared.owner, view);
}

ArchiveKind DetectArchive(std::string_view head, std::string_view tail) {
  if (head.starts_with("PK\3\4") || head.starts_with("PK\5\6")) return ArchiveKind::kZip;
  if (IsTFileTail(tail)) return ArchiveKind::kTFile;
  if (IsIndexedFile(head)) return ArchiveKind::kIndexedFile;
  return ArchiveKind::kNone;
}

Result<Archive> ListArchive(ArchiveKind kind, const SharedBytes& archive, const std::string& name,
                            const ExpansionLimits& limits) {
  switch (kind) {
    case ArchiveKind::kZip:
      return ListZip(archive, name, limits);
    case ArchiveKind::kTFile:
      return ListTFile(archive, name, limits);
    case ArchiveKind::kIndexedFile:
      return ListIndexedFile(archive, name, limits);
    case ArchiveKind::kNone:
      break;
  }
  return Fail(name + ": not an archive; expected a zip file, a TFile or an IndexedFile");
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "inputs/archive.h"

namespace sparkprof {

ArchiveKind DetectArchive(std::string_view head, std::string_view tail) {
  if (head.starts_with("PK\3\4") || head.starts_with("PK\5\6")) return ArchiveKind::kZip;
  if (IsTar(head)) return ArchiveKind::kTar;
  if (IsTFileTail(tail)) return ArchiveKind::kTFile;
  if (IsIndexedFile(head)) return ArchiveKind::kIndexedFile;
  return ArchiveKind::kNone;
}

Result<Archive> ListArchive(ArchiveKind kind, const SharedBytes& archive, const std::string& name,
                            const ExpansionLimits& limits) {
  switch (kind) {
    case ArchiveKind::kZip:
      return ListZip(archive, name, limits);
    case ArchiveKind::kTar:
      return ListTar(archive, name);
    case ArchiveKind::kTFile:
      return ListTFile(archive, name, limits);
    case ArchiveKind::kIndexedFile:
      return ListIndexedFile(archive, name, limits);
    case ArchiveKind::kNone:
      break;
  }
  return Fail(name + ": not an archive; expected a zip file, an archive of tar, a TFile or an IndexedFile");
}

}  // namespace sparkprof

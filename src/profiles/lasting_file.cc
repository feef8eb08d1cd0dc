// SPDX-License-Identifier: Apache-2.0
#include "profiles/lasting_file.h"

#include <re2/re2.h>

namespace sparkprof {

std::string LastingFile(std::string_view path) {
  static const RE2 kUuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const RE2 kFolderNumber("[0-9]{3,}");
  static const RE2 kFileNumber("[0-9]{4,}");
  const size_t slash = path.rfind('/');
  std::string name(path.substr(slash + 1));
  RE2::GlobalReplace(&name, kFileNumber, "#");
  if (slash == std::string_view::npos || slash == 0) return name;
  const std::string_view above = path.substr(0, slash);
  std::string folder(above.substr(above.rfind('/') + 1));
  RE2::GlobalReplace(&folder, kUuid, "#");
  RE2::GlobalReplace(&folder, kFolderNumber, "#");
  return folder.empty() ? name : folder + "/" + name;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/archive.h"

namespace sparkprof {

// Whether an archive of tar starts with `head` (its first header is enough): POSIX ustar and pax, GNU's form and that
// of Unix V7, which only the checksum of the header marks.
bool IsTar(std::string_view head);

// The regular files in an archive of tar. A truncated last file and sparse files are listed as damaged. Format:
// POSIX.1, pax; GNU tar's manual, "Basic Tar Format".
Result<Archive> ListTar(const SharedBytes& archive, const std::string& name);

}  // namespace sparkprof

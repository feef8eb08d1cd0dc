// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/archive.h"

namespace sparkprof {

// Whether a tar archive starts with `head` (its first header is enough): POSIX ustar and pax, GNU's form, and Unix V7,
// which is recognized only by the header's checksum.
bool IsTar(std::string_view head);

// Lists the regular files in a tar archive. Reports a truncated last file and sparse files as damaged. Format: POSIX.1,
// pax; GNU tar's manual, "Basic Tar Format".
Result<Archive> ListTar(const SharedBytes& archive, const std::string& name);

}  // namespace sparkprof

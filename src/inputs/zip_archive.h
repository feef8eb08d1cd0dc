// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "inputs/archive.h"

namespace sparkprof {

// The files of a zip archive (also zip64), read through libzip. Entries may be open at the same time in several
// threads.
Result<Archive> ListZip(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

}  // namespace sparkprof

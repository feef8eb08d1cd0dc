// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "inputs/archive.h"

namespace sparkprof {

// Lists the files of a zip archive (including zip64), read with libzip. Several threads may have entries open.
Result<Archive> ListZip(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

}  // namespace sparkprof

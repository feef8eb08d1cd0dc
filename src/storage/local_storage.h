// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "storage/storage.h"

namespace sparkprof {

// A folder of this machine. Symbolic links below it are skipped.
std::unique_ptr<Storage> OpenLocalStorage(const std::string& folder, const StorageOptions& options);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "storage/storage.h"

namespace sparkprof {

// Opens a local folder. Skips symbolic links below it.
std::unique_ptr<Storage> OpenLocalStorage(const std::string& folder, const StorageOptions& options);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/storage.h"

namespace sparkprof {

// The form that requests a token of a service account from Google (RFC 7523). `key_file`: content of its JSON file.
// Sets `address` to the target of the form.
Result<std::string> TokenRequestOfServiceAccount(std::string_view key_file, int64_t time_ns, std::string* address);

// Opens gs://BUCKET/PREFIX with the JSON API of Google Cloud Storage.
Result<std::unique_ptr<Storage>> OpenGcsStorage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

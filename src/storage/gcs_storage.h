// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/storage.h"

namespace sparkprof {

// The form that asks Google for a token of a service account (RFC 7523). `key_file`: its JSON file. Sets `address` to
// where the form is sent.
Result<std::string> TokenRequestOfServiceAccount(std::string_view key_file, int64_t time_ns, std::string* address);

// gs://BUCKET/PREFIX, by the JSON interface of Google Cloud Storage.
Result<std::unique_ptr<Storage>> OpenGcsStorage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/url.h"
#include "storage/storage.h"

namespace sparkprof {

// Signs a GET request with the key of a storage account (Shared Key of the Blob service). `headers`: the request's
// other headers, in lower case. Query values must be encoded. Fails if the key is not base64.
Result<HttpHeaders> SignAzureRequest(const Url& url, const HttpHeaders& headers, const std::string& account,
                                     const std::string& key, int64_t time_ns);

// Opens abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, also abfs, wasbs and wasb, with the Blob service.
Result<std::unique_ptr<Storage>> OpenAzureStorage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

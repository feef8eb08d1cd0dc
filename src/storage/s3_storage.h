// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/url.h"
#include "storage/storage.h"

namespace sparkprof {

// Requests without a signature if there is no access key.
struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty = a permanent key
};

// The headers of a GET request with Signature Version 4. `url.target` has its query parameters sorted and encoded.
HttpHeaders SignS3Request(const Url& url, const S3Credentials& credentials, const std::string& region, int64_t time_ns);

// s3a://BUCKET/PREFIX or s3://BUCKET/PREFIX.
Result<std::unique_ptr<Storage>> OpenS3Storage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

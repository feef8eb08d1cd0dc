// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/url.h"
#include "storage/s3_credentials.h"
#include "storage/storage.h"

namespace sparkprof {

// Signs a GET request with Signature Version 4. The query parameters of `url.target` must be sorted and encoded.
// `is_paid`: the requester pays instead of the bucket's owner.
HttpHeaders SignS3Request(const Url& url, const S3Credentials& credentials, const std::string& region, int64_t time_ns,
                          bool is_paid = false);

// Opens s3a://BUCKET/PREFIX or s3://BUCKET/PREFIX.
Result<std::unique_ptr<Storage>> OpenS3Storage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

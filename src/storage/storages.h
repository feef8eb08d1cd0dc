// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/url.h"
#include "storage/credentials.h"
#include "storage/http_requests.h"
#include "storage/storage.h"

namespace sparkprof {

// The kinds of storage that OpenStorage chooses from.

// Opens a local folder. Skips symbolic links below it.
std::unique_ptr<Storage> OpenLocalStorage(const std::string& folder, const StorageOptions& options);

// Opens hdfs://HOST[:PORT]/PATH or webhdfs://… over HTTP, swebhdfs://… over HTTPS, as HADOOP_USER_NAME or the user of
// this process. If hdfs: has the port of Hadoop's own protocol, uses the default HTTP port.
Result<std::unique_ptr<Storage>> OpenWebHdfsStorage(const std::string& location, const StorageOptions& options);

// Signs a request with Signature Version 4. The query parameters of `url.target` must be sorted and encoded.
// `is_paid`: the requester pays instead of the bucket's owner.
HttpHeaders SignS3Request(const Url& url, const S3Credentials& credentials, const std::string& region, int64_t time_ns,
                          bool is_paid = false, const StorageRequest& request = {});

// Opens s3a://BUCKET/PREFIX or s3://BUCKET/PREFIX.
Result<std::unique_ptr<Storage>> OpenS3Storage(const std::string& location, const StorageOptions& options);

// Signs a request with the key of a storage account (Shared Key of the Blob service). The names of the request's
// headers are in lower case. Query values must be encoded. Fails if the key is not base64.
Result<HttpHeaders> SignAzureRequest(const Url& url, const StorageRequest& request, const std::string& account,
                                     const std::string& key, int64_t time_ns);

// Opens abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, also abfs, wasbs and wasb, with the Blob service.
Result<std::unique_ptr<Storage>> OpenAzureStorage(const std::string& location, const StorageOptions& options);

// The form that requests a token of a service account from Google (RFC 7523). `key_file`: content of its JSON file.
// Sets `address` to the target of the form. `scope`: what the token permits.
Result<std::string> TokenRequestOfServiceAccount(std::string_view key_file, std::string_view scope, int64_t time_ns,
                                                 std::string* address);

// Opens gs://BUCKET/PREFIX with the JSON API of Google Cloud Storage.
Result<std::unique_ptr<Storage>> OpenGcsStorage(const std::string& location, const StorageOptions& options);

}  // namespace sparkprof

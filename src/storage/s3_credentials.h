// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "storage/expiring_value.h"

namespace sparkprof {

// Without an access key, requests are not signed.
struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty = a permanent key
};

using S3CredentialSource = ExpiringValue<S3Credentials>;

// Finds credentials in the order of Amazon's SDKs: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the role of
// AWS_ROLE_ARN with the token in AWS_WEB_IDENTITY_TOKEN_FILE; the profile AWS_PROFILE of ~/.aws/credentials; a
// container's role (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI); the role of an EC2 instance, if
// `is_at_amazon`. Does not connect. Fails if only half of a key is set.
Result<std::unique_ptr<S3CredentialSource>> OpenS3Credentials(const std::string& region, bool is_at_amazon);

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "storage/expiring_value.h"

namespace sparkprof {

// Requests without a signature if there is no access key.
struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty = a permanent key
};

using S3CredentialSource = ExpiringValue<S3Credentials>;

// Where credentials come from, in the order of Amazon's SDKs: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the role of
// AWS_ROLE_ARN by the token in AWS_WEB_IDENTITY_TOKEN_FILE; the profile AWS_PROFILE of ~/.aws/credentials; the role of
// a container (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI); the role of an EC2 instance, if `is_at_amazon`.
// Does not connect. Fails for half a key.
Result<std::unique_ptr<S3CredentialSource>> OpenS3Credentials(const std::string& region, bool is_at_amazon);

}  // namespace sparkprof

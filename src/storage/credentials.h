// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/url.h"

namespace sparkprof {

// A value with a limited lifetime, such as a service token. Requests it on first use, and again shortly before it
// expires. Thread-safe.
template <typename Value>
class ExpiringValue {
 public:
  struct Known {
    Value value;
    int64_t expires_ns = INT64_MAX;  // since the Unix epoch
  };
  using Ask = std::function<Result<Known>()>;

  explicit ExpiringValue(Ask ask) : ask_(std::move(ask)) {}

  Result<Value> Get() {
    constexpr int64_t kEarly = 60 * kNanosPerSecond;  // margin for the duration of a request
    const std::lock_guard lock(mutex_);
    if (known_.expires_ns - kEarly > EpochNanos()) return known_.value;
    Result<Known> known = ask_();
    if (!known) return tl::unexpected(known.error());
    known_ = std::move(*known);
    return known_.value;
  }

 private:
  const Ask ask_;
  std::mutex mutex_;
  Known known_{{}, 0};
};

// Reads the HDFS delegation token in a Hadoop token file, as written by `hdfs fetchdt` and YARN
// (org.apache.hadoop.security.Credentials, version 0), and encodes it for WebHDFS URLs. Fails if the file has none.
Result<std::string> HdfsTokenOf(std::string_view token_file);

// The value of the header Authorization for the service HTTP of `host` (SPNEGO, RFC 4559): "Negotiate TOKEN", from the
// caller's Kerberos tickets or the keytab in KRB5_CLIENT_KTNAME. Each value is valid for one request. Loads the
// system's libgssapi_krb5; fails if the library or a ticket is missing.
Result<std::string> NegotiateHeader(const std::string& host);

using OAuthToken = ExpiringValue<std::string>;

// Requests a token from an OAuth server: with GET if `form` is empty, else with POST. The response is {"access_token":
// …, "expires_in": SECONDS}.
Result<OAuthToken::Known> AskForToken(const std::string& url, const HttpHeaders& headers, const std::string& form);

// Formats "name=value&name=value", encoded.
std::string FormOf(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

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

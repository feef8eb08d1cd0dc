// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <chrono>
#include <utility>

#include "base/io/file.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/text/xml_tree.h"
#include "http/http_client.h"
#include "storage/credentials.h"
#include "storage/http_requests.h"
#include "storage/object_storage.h"

namespace sparkprof {
namespace {

using Known = S3CredentialSource::Known;

constexpr uint64_t kMaxAnswerBytes = uint64_t{1} << 20;
constexpr std::chrono::seconds kAnswerTime{5};
constexpr std::chrono::seconds kInstanceTime{1};  // short timeout: nothing responds outside of EC2
constexpr char kContainerHost[] = "http://169.254.170.2";
constexpr char kInstanceHost[] = "http://169.254.169.254";

Result<std::string> Ask(std::string_view method, const std::string& address, const HttpHeaders& headers,
                        const std::string& body, std::chrono::milliseconds timeout) {
  const Result<Url> url = ParseUrl(address);
  if (!url) return tl::unexpected(url.error());
  const Result<HttpResponse> answer =
      SendHttp(method, *url, headers, body, {.timeout = timeout, .max_response_bytes = kMaxAnswerBytes});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200)
    return tl::unexpected(UnexpectedAnswer("credentials of " + url->Authority(), *answer, answer->Body()));
  return std::string(answer->Body());
}

Result<Known> Complete(Known known, const std::string& expiration, const std::string& place) {
  if (known.value.access_key.empty() || known.value.secret_key.empty()) return Fail(place + ": no access key");
  known.expires_ns = ParseUtcTime(expiration);
  return known;
}

// Parses {"AccessKeyId":…,"SecretAccessKey":…,"Token":…,"Expiration":…}.
Result<Known> FromJson(std::string_view json, const std::string& place) {
  simdjson::dom::parser parser;
  simdjson::dom::object answer;
  if (parser.parse(simdjson::padded_string(json)).get_object().get(answer) != simdjson::SUCCESS)
    return Fail(place + ": expected JSON with an access key");
  const auto text = [&](std::string_view key) { return std::string(TextAt(answer, key)); };
  return Complete({{text("AccessKeyId"), text("SecretAccessKey"), text("Token")}}, text("Expiration"), place);
}

const XmlElement* ChildOf(const XmlElement& element, std::string_view name) {
  for (const XmlElement& child : element.children)
    if (child.name == name) return &child;
  return nullptr;
}

// IAM roles for Kubernetes service accounts.
Result<Known> OfWebIdentity(const std::string& region) {
  const std::string file = EnvironmentOf("AWS_WEB_IDENTITY_TOKEN_FILE");
  const Result<std::string> token = ReadFile(file);
  if (!token) return tl::unexpected(token.error());
  std::string session = EnvironmentOf("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "sparkprof";
  std::string endpoint = EnvironmentOf("AWS_ENDPOINT_URL_STS");
  if (endpoint.empty()) endpoint = fmt::format("https://sts.{}.amazonaws.com/", region);
  const Result<std::string> answer = Ask("POST", endpoint, {{"content-type", "application/x-www-form-urlencoded"}},
                                         FormOf({{"Action", "AssumeRoleWithWebIdentity"},
                                                 {"Version", "2011-06-15"},
                                                 {"RoleArn", EnvironmentOf("AWS_ROLE_ARN")},
                                                 {"RoleSessionName", session},
                                                 {"WebIdentityToken", Trim(*token)}}),
                                         kAnswerTime);
  if (!answer) return tl::unexpected(answer.error());
  const Result<XmlElement> document = ParseXml(*answer);
  if (!document) return Fail(fmt::format("{}: {}", endpoint, document.error().message));
  const XmlElement* const result = ChildOf(*document, "AssumeRoleWithWebIdentityResult");
  const XmlElement* const found = result == nullptr ? nullptr : ChildOf(*result, "Credentials");
  if (found == nullptr) return Fail(endpoint + ": no credentials in the answer");
  const auto text = [&](std::string_view name) { return std::string(found->Text(name)); };
  return Complete({{text("AccessKeyId"), text("SecretAccessKey"), text("SessionToken")}}, text("Expiration"), endpoint);
}

// ECS tasks, and EKS Pod Identity.
Result<Known> OfContainer() {
  const std::string relative = EnvironmentOf("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string address =
      relative.empty() ? EnvironmentOf("AWS_CONTAINER_CREDENTIALS_FULL_URI") : kContainerHost + relative;
  std::string token = EnvironmentOf("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = EnvironmentOf("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
    Result<std::string> read = ReadFile(file);
    if (!read) return tl::unexpected(read.error());
    token = Trim(*read);
  }
  HttpHeaders headers;
  if (!token.empty()) headers.emplace_back("authorization", token);
  const Result<std::string> answer = Ask("GET", address, headers, {}, kAnswerTime);
  if (!answer) return tl::unexpected(answer.error());
  return FromJson(*answer, address);
}

// The role of an EC2 instance (version 2 of its metadata service); empty credentials if there is none.
Known OfInstance() {
  constexpr char kRoles[] = "/latest/meta-data/iam/security-credentials/";
  std::string host = EnvironmentOf("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (host.empty()) host = kInstanceHost;
  while (host.ends_with('/')) host.pop_back();
  const Result<std::string> token =
      Ask("PUT", host + "/latest/api/token", {{"x-aws-ec2-metadata-token-ttl-seconds", "300"}}, {}, kInstanceTime);
  if (!token) return {};
  const HttpHeaders headers{{"x-aws-ec2-metadata-token", *token}};
  const Result<std::string> role = Ask("GET", host + kRoles, headers, {}, kAnswerTime);
  if (!role || role->empty()) return {};
  const std::string address = host + kRoles + PercentEncode(role->substr(0, role->find('\n')));
  const Result<std::string> answer = Ask("GET", address, headers, {}, kAnswerTime);
  return answer ? FromJson(*answer, address).value_or(Known()) : Known();
}

// The value of `key = value` in the section "[profile]" of an INI file; empty if missing.
std::string ValueInProfile(std::string_view ini, std::string_view profile, std::string_view key) {
  bool is_inside = false;
  for (const std::string_view line : Split(ini, '\n')) {
    const std::string_view text = Trim(line);
    if (text.starts_with('[')) {
      is_inside = text == fmt::format("[{}]", profile);
      continue;
    }
    const size_t equal = text.find('=');
    if (is_inside && equal != std::string_view::npos && Trim(text.substr(0, equal)) == key)
      return std::string(Trim(text.substr(equal + 1)));
  }
  return {};
}

S3Credentials OfProfile() {
  std::string file = EnvironmentOf("AWS_SHARED_CREDENTIALS_FILE");
  if (file.empty()) file = EnvironmentOf("HOME") + "/.aws/credentials";
  std::string profile = EnvironmentOf("AWS_PROFILE");
  if (profile.empty()) profile = "default";
  const std::string ini = ReadFile(file).value_or("");
  return {ValueInProfile(ini, profile, "aws_access_key_id"), ValueInProfile(ini, profile, "aws_secret_access_key"),
          ValueInProfile(ini, profile, "aws_session_token")};
}

}  // namespace

Result<std::unique_ptr<S3CredentialSource>> OpenS3Credentials(const std::string& region, bool is_at_amazon) {
  const S3Credentials own{EnvironmentOf("AWS_ACCESS_KEY_ID"), EnvironmentOf("AWS_SECRET_ACCESS_KEY"),
                          EnvironmentOf("AWS_SESSION_TOKEN")};
  if (own.access_key.empty() != own.secret_key.empty())
    return Fail("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY require each other");
  const auto source = [](S3CredentialSource::Ask ask) { return std::make_unique<S3CredentialSource>(std::move(ask)); };
  if (!own.access_key.empty()) return source([own]() -> Result<Known> { return Known{own}; });
  if (!EnvironmentOf("AWS_WEB_IDENTITY_TOKEN_FILE").empty() && !EnvironmentOf("AWS_ROLE_ARN").empty())
    return source([region] { return OfWebIdentity(region); });
  if (const S3Credentials profile = OfProfile(); !profile.access_key.empty() && !profile.secret_key.empty())
    return source([profile]() -> Result<Known> { return Known{profile}; });
  if (!EnvironmentOf("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
      !EnvironmentOf("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty())
    return source([] { return OfContainer(); });
  const bool is_instance_named = !EnvironmentOf("AWS_EC2_METADATA_SERVICE_ENDPOINT").empty();
  const bool may_be_instance =
      (is_at_amazon || is_instance_named) && ToLowerAscii(EnvironmentOf("AWS_EC2_METADATA_DISABLED")) != "true";
  return source([may_be_instance]() -> Result<Known> { return may_be_instance ? OfInstance() : Known(); });
}

}  // namespace sparkprof

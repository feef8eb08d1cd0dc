// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include "base/io/file.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "http/signing.h"
#include "storage/credentials.h"
#include "storage/http_requests.h"
#include "storage/object_storage.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxGcsListBytes = uint64_t{32} << 20;  // maximum size of a page with at most 1,000 objects
constexpr char kReadScope[] = "https://www.googleapis.com/auth/devstorage.read_only";
constexpr char kWriteScope[] = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr char kTokenAddress[] = "https://oauth2.googleapis.com/token";

// Uses gcloud's file for its own user: a refresh token.
Result<OAuthToken::Known> AskForUser(const simdjson::dom::object& credentials) {
  return AskForToken(kTokenAddress, {},
                     FormOf({{"grant_type", "refresh_token"},
                             {"client_id", TextAt(credentials, "client_id")},
                             {"client_secret", TextAt(credentials, "client_secret")},
                             {"refresh_token", TextAt(credentials, "refresh_token")}}));
}

// Uses the credentials file, else the machine's service account, whose tokens have the machine's scopes.
Result<OAuthToken::Known> AskGoogle(std::string_view scope) {
  if (std::string own = EnvironmentOf("CLOUDSDK_AUTH_ACCESS_TOKEN"); !own.empty()) return OAuthToken::Known{own};
  std::string file = EnvironmentOf("GOOGLE_APPLICATION_CREDENTIALS");
  if (file.empty()) {
    file = EnvironmentOf("HOME") + "/.config/gcloud/application_default_credentials.json";
    if (!ReadFile(file)) file.clear();
  }
  if (file.empty()) {
    std::string host = EnvironmentOf("GCE_METADATA_HOST");
    if (host.empty()) host = "169.254.169.254";
    return AskForToken(fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/default/token", host),
                       {{"metadata-flavor", "Google"}}, {});
  }
  const Result<std::string> json = ReadFile(file);
  if (!json) return tl::unexpected(json.error());
  simdjson::dom::parser parser;
  simdjson::dom::object credentials;
  if (parser.parse(simdjson::padded_string(*json)).get_object().get(credentials) != simdjson::SUCCESS)
    return Fail(file + ": expected JSON with credentials of Google Cloud");
  if (TextAt(credentials, "type") == "authorized_user") return AskForUser(credentials);
  std::string address;
  const Result<std::string> form = TokenRequestOfServiceAccount(*json, scope, EpochNanos(), &address);
  if (!form) return Fail(fmt::format("{}: {}", file, form.error().message));
  return AskForToken(address, {}, *form);
}

class GcsStorage : public ObjectStorage {
 public:
  using ObjectStorage::ObjectStorage;

  Result<void> Configure() {
    if (Bucket().empty()) return Fail(Root() + ": expected gs://BUCKET/PREFIX");
    std::string host = EnvironmentOf("STORAGE_EMULATOR_HOST");
    is_emulator_ = !host.empty();
    if (!is_emulator_) host = "https://storage.googleapis.com";
    if (host.find("://") == std::string::npos) host = "http://" + host;
    const Result<Url> url = ParseUrl(host);
    if (!url) return Fail("STORAGE_EMULATOR_HOST: " + url.error().message);
    base_ = *url;
    while (base_.target.ends_with('/')) base_.target.pop_back();
    uploads_ = base_;
    const std::string objects = "/storage/v1/b/" + PercentEncode(Bucket()) + "/o";
    uploads_.target += "/upload" + objects;
    base_.target += objects;
    return {};
  }

 private:
  Result<ObjectPage> ListPage(const std::string& prefix, const std::string& token) override {
    std::string query = "?" + FormOf({{"prefix", prefix}, {"fields", "items(name,size,updated),nextPageToken"}});
    if (!token.empty()) query += "&" + FormOf({{"pageToken", token}});
    const Result<HttpResponse> answer = Send({}, base_, query, kMaxGcsListBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) return tl::unexpected(ErrorOf(Root(), *answer));
    simdjson::dom::parser parser;
    simdjson::dom::object list;
    if (parser.parse(simdjson::padded_string(answer->Body())).get_object().get(list) != simdjson::SUCCESS)
      return Fail(Root() + ": expected a list of objects as JSON");
    ObjectPage page{{}, std::string(TextAt(list, "nextPageToken"))};
    simdjson::dom::array items;
    if (list.at_key("items").get_array().get(items) != simdjson::SUCCESS) return page;
    for (const simdjson::dom::element item : items) {
      simdjson::dom::object object;
      if (item.get_object().get(object) != simdjson::SUCCESS) continue;
      // The size is a number as text; emulators send a number.
      const int64_t size = ParseInteger(TextAt(object, "size")).value_or(IntegerAt(object, "size", -1));
      page.objects.push_back(
          {std::string(TextAt(object, "name")), size, ParseUtcTime(std::string(TextAt(object, "updated")))});
    }
    return page;
  }

  Result<HttpResponse> GetObject(const std::string& key, const HttpHeaders& headers, uint64_t max_bytes) override {
    return Send({.headers = headers}, base_, "/" + PercentEncode(key) + "?alt=media", max_bytes);
  }

  // The headers that make S3 create only missing objects have no effect here.
  Result<HttpResponse> PutObject(const std::string& key, std::string_view content) override {
    const std::string query = FormOf({{"uploadType", "media"}, {"ifGenerationMatch", "0"}, {"name", key}});
    return Send({"POST", content, {{"content-type", "application/octet-stream"}}}, uploads_, "?" + query,
                kMaxErrorBytes);
  }

  Result<HttpResponse> DeleteObject(const std::string& key) override {
    return Send({"DELETE"}, base_, "/" + PercentEncode(key), kMaxErrorBytes);
  }

  Result<HttpResponse> Send(StorageRequest request, Url url, const std::string& target, uint64_t max_bytes) {
    url.target += target;
    if (!is_emulator_) {
      const Result<std::string> token = request.method == "GET" ? token_.Get() : write_token_.Get();
      if (!token) {
        return Fail(
            fmt::format("{}: no credentials: set GOOGLE_APPLICATION_CREDENTIALS to the file of a service "
                        "account ({})",
                        Root(), token.error().message));
      }
      request.headers.emplace_back("authorization", "Bearer " + *token);
    }
    return SendPatiently(request, url, request.headers, max_bytes, Options());
  }

  Error ErrorOf(const std::string& place, const HttpResponse& answer) const override {
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    std::string_view message;
    if (parser.parse(simdjson::padded_string(answer.Body())).get(document) != simdjson::SUCCESS ||
        document["error"]["message"].get(message) != simdjson::SUCCESS) {
      message = answer.Body();
    }
    return UnexpectedAnswer(place, answer, message);
  }

  OAuthToken token_{[] { return AskGoogle(kReadScope); }};
  OAuthToken write_token_{[] { return AskGoogle(kWriteScope); }};
  bool is_emulator_ = false;
  Url base_;     // URL of the bucket's objects
  Url uploads_;  // URL for uploads
};

}  // namespace

Result<std::string> TokenRequestOfServiceAccount(std::string_view key_file, std::string_view scope, int64_t time_ns,
                                                 std::string* address) {
  constexpr int64_t kLife = 3600;  // lifetime in seconds
  simdjson::dom::parser parser;
  simdjson::dom::object key;
  if (parser.parse(simdjson::padded_string(key_file)).get_object().get(key) != simdjson::SUCCESS ||
      TextAt(key, "private_key").empty() || TextAt(key, "client_email").empty()) {
    return Fail("expected the JSON key of a service account, with client_email and private_key");
  }
  *address = TextAt(key, "token_uri");
  if (address->empty()) *address = kTokenAddress;
  const int64_t now = time_ns / kNanosPerSecond;
  JsonWriter claims;
  claims.BeginObject().Member("iss", TextAt(key, "client_email")).Member("scope", scope);
  claims.Member("aud", *address).Member("iat", now).Member("exp", now + kLife).EndObject();
  const std::string text = Base64Url(R"({"alg":"RS256","typ":"JWT"})") + "." + Base64Url(claims.Take());
  const Result<std::string> signature = SignRsaSha256(std::string(TextAt(key, "private_key")), text);
  if (!signature) return tl::unexpected(signature.error());
  return FormOf({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                 {"assertion", text + "." + Base64Url(*signature)}});
}

Result<std::unique_ptr<Storage>> OpenGcsStorage(const std::string& location, const StorageOptions& options) {
  auto storage = std::make_unique<GcsStorage>(location, options);
  if (Result<void> configured = storage->Configure(); !configured) return tl::unexpected(configured.error());
  return storage;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <map>
#include <optional>

#include "base/io/file.h"
#include "base/text/text.h"
#include "base/text/xml_tree.h"
#include "base/time.h"
#include "http/signing.h"
#include "storage/credentials.h"
#include "storage/http_requests.h"
#include "storage/object_storage.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxAzureListBytes = uint64_t{32} << 20;  // maximum size of a page with at most 5,000 blobs
constexpr char kVersion[] = "2021-12-02";                    // version of the service's API
constexpr char kScope[] = "https://storage.azure.com/";

// Parses "Tue, 14 Nov 2023 22:13:20 GMT"; 0 if invalid.
int64_t ParseHttpTime(const std::string& text) {
  std::tm time{};
  return strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &time) == nullptr ? 0 : timegm(&time) * kNanosPerSecond;
}

// Parses "Name=value;Name=value" of AZURE_STORAGE_CONNECTION_STRING.
std::map<std::string, std::string, std::less<>> PartsOfConnection(const std::string& text) {
  std::map<std::string, std::string, std::less<>> parts;
  for (const std::string_view part : Split(text, ';')) {
    const size_t equal = part.find('=');
    if (equal != std::string_view::npos) parts[std::string(part.substr(0, equal))] = part.substr(equal + 1);
  }
  return parts;
}

// Requests a token from Microsoft Entra: for a client with a secret or a federated token, otherwise for the machine's
// identity.
Result<OAuthToken::Known> AskEntra() {
  const std::string client = EnvironmentOf("AZURE_CLIENT_ID"), tenant = EnvironmentOf("AZURE_TENANT_ID");
  const std::string secret = EnvironmentOf("AZURE_CLIENT_SECRET"), file = EnvironmentOf("AZURE_FEDERATED_TOKEN_FILE");
  if (client.empty() || tenant.empty() || (secret.empty() && file.empty())) {
    std::string host = EnvironmentOf("AZURE_POD_IDENTITY_AUTHORITY_HOST");
    if (host.empty()) host = "http://169.254.169.254";
    std::string query = FormOf({{"api-version", "2018-02-01"}, {"resource", kScope}});
    if (!client.empty()) query += "&" + FormOf({{"client_id", client}});
    return AskForToken(host + "/metadata/identity/oauth2/token?" + query, {{"metadata", "true"}}, {});
  }
  std::string authority = EnvironmentOf("AZURE_AUTHORITY_HOST");
  if (authority.empty()) authority = "https://login.microsoftonline.com/";
  if (!authority.ends_with('/')) authority += "/";
  const std::string address = fmt::format("{}{}/oauth2/v2.0/token", authority, tenant);
  const std::string scope = std::string(kScope) + ".default";
  std::string form = FormOf({{"grant_type", "client_credentials"}, {"client_id", client}, {"scope", scope}});
  if (!secret.empty()) return AskForToken(address, {}, form + "&" + FormOf({{"client_secret", secret}}));
  const Result<std::string> token = ReadFile(file);
  if (!token) return tl::unexpected(token.error());
  form += "&" + FormOf({{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
                        {"client_assertion", Trim(*token)}});
  return AskForToken(address, {}, form);
}

class AzureStorage : public ObjectStorage {
 public:
  using ObjectStorage::ObjectStorage;

  Result<void> Configure() {
    const std::string bucket = Bucket();
    const size_t at = bucket.find('@');
    const size_t dot = bucket.find('.', at + 1);
    if (at == std::string::npos || at == 0 || dot == std::string::npos || dot == at + 1)
      return Fail(Root() + ": expected abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH");
    account_ = bucket.substr(at + 1, dot - at - 1);
    std::string domain = bucket.substr(dot);
    if (domain.starts_with(".dfs.")) domain.replace(0, 5, ".blob.");  // the same blobs in the Blob service
    const auto connection = PartsOfConnection(EnvironmentOf("AZURE_STORAGE_CONNECTION_STRING"));
    const auto part = [&](const char* name) {
      const auto found = connection.find(name);
      return found == connection.end() ? std::string() : found->second;
    };
    // A connection string applies to one account only.
    const bool is_of_account = part("AccountName").empty() || part("AccountName") == account_;
    std::string endpoint = is_of_account ? part("BlobEndpoint") : "";
    if (endpoint.empty()) endpoint = fmt::format("https://{}{}", account_, domain);
    const Result<Url> url = ParseUrl(endpoint);
    if (!url) return Fail(fmt::format("{}: {}", Root(), url.error().message));
    base_ = *url;
    while (base_.target.ends_with('/')) base_.target.pop_back();
    base_.target += "/" + PercentEncode(bucket.substr(0, at));
    const std::string of_account = EnvironmentOf("AZURE_STORAGE_ACCOUNT");
    const bool is_own = of_account.empty() || of_account == account_;
    key_ = is_own ? EnvironmentOf("AZURE_STORAGE_KEY") : "";
    sas_ = is_own ? EnvironmentOf("AZURE_STORAGE_SAS_TOKEN") : "";
    if (key_.empty() && is_of_account) key_ = part("AccountKey");
    if (sas_.empty() && is_of_account) sas_ = part("SharedAccessSignature");
    if (sas_.starts_with('?')) sas_.erase(0, 1);
    if (!key_.empty() && !Base64Decode(key_)) return Fail(Root() + ": the key of the account is not base64");
    return {};
  }

 private:
  Result<ObjectPage> ListPage(const std::string& prefix, const std::string& token) override {
    std::string query = "?comp=list";
    if (!token.empty()) query += "&marker=" + PercentEncode(token);
    query += "&prefix=" + PercentEncode(prefix) + "&restype=container";
    const Result<HttpResponse> answer = Send({}, query, kMaxAzureListBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) return tl::unexpected(ErrorOf(Root(), *answer));
    std::string_view body = answer->Body();
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    const Result<XmlElement> list = ParseXml(body);
    if (!list) return Fail(fmt::format("{}: {}", Root(), list.error().message));
    if (list->name != "EnumerationResults") return Fail(Root() + ": expected a list of blobs");
    ObjectPage page{{}, std::string(list->Text("NextMarker"))};
    for (const XmlElement& part : list->children) {
      for (const XmlElement& blob : part.children)
        if (part.name == "Blobs" && blob.name == "Blob") AddBlob(blob, &page);
    }
    return page;
  }

  static void AddBlob(const XmlElement& blob, ObjectPage* page) {
    for (const XmlElement& part : blob.children) {
      if (part.name != "Properties" || part.Text("ResourceType") == "directory") continue;
      page->objects.push_back({std::string(blob.Text("Name")), ParseInteger(part.Text("Content-Length")).value_or(-1),
                               ParseHttpTime(std::string(part.Text("Last-Modified")))});
    }
  }

  Result<HttpResponse> GetObject(const std::string& key, const HttpHeaders& headers, uint64_t max_bytes) override {
    return Send({.headers = headers}, "/" + EncodeKey(key), max_bytes);
  }

  Result<HttpResponse> PutObject(const std::string& key, std::string_view content) override {
    return Send({"PUT", content, {{"if-none-match", "*"}, {"x-ms-blob-type", "BlockBlob"}}}, "/" + EncodeKey(key),
                kMaxErrorBytes);
  }

  bool IsConflict(const HttpResponse& answer) const override {
    return answer.status == 412 || answer.Header("x-ms-error-code") == "BlobAlreadyExists";
  }

  Result<HttpResponse> DeleteObject(const std::string& key) override {
    return Send({"DELETE"}, "/" + EncodeKey(key), kMaxErrorBytes);
  }

  Result<HttpResponse> Send(StorageRequest request, const std::string& target, uint64_t max_bytes) {
    Url url = base_;
    url.target += target;
    HttpHeaders& all = request.headers;
    all.emplace_back("x-ms-version", kVersion);
    if (!key_.empty()) {
      const Result<HttpHeaders> signature = SignAzureRequest(url, request, account_, key_, EpochNanos());
      if (!signature) return tl::unexpected(signature.error());
      all.insert(all.end(), signature->begin(), signature->end());
    } else if (!sas_.empty()) {
      url.target += (target.find('?') == std::string::npos ? "?" : "&") + sas_;
    } else {
      const Result<std::string> token = token_.Get();
      if (!token) {
        return Fail(
            fmt::format("{}: no credentials: set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_CLIENT_ID ({})",
                        Root(), token.error().message));
      }
      all.emplace_back("authorization", "Bearer " + *token);
    }
    return SendPatiently(request, url, all, max_bytes, Options());
  }

  Error ErrorOf(const std::string& place, const HttpResponse& answer) const override {
    std::string_view body = answer.Body();
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    const Result<XmlElement> error = ParseXml(body);
    std::string text(answer.Header("x-ms-error-code"));
    if (error) text = fmt::format("{}: {}", error->Text("Code"), error->Text("Message"));
    return UnexpectedAnswer(place, answer, text);
  }

  std::string account_;
  std::string key_;  // base64
  std::string sas_;  // parameters of the shared access signature
  OAuthToken token_{AskEntra};
  Url base_;  // URL of the container
};

}  // namespace

Result<HttpHeaders> SignAzureRequest(const Url& url, const StorageRequest& request, const std::string& account,
                                     const std::string& key, int64_t time_ns) {
  const std::optional<std::string> secret = Base64Decode(key);
  if (!secret) return Fail("the key of the account is not base64");
  const std::string date =
      fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(static_cast<std::time_t>(time_ns / kNanosPerSecond)));
  std::map<std::string, std::string> own{{"x-ms-date", date}};
  for (const auto& [name, value] : request.headers)
    if (name.starts_with("x-ms-")) own[name] = value;
  // The method, eleven standard headers (most of which no request here has), and the service's own.
  const std::string length = request.body.empty() ? "" : std::to_string(request.body.size());
  std::string to_sign = fmt::format("{}\n\n\n{}\n\n\n\n\n\n{}\n\n{}\n", request.method, length,
                                    FindHeader(request.headers, "if-none-match"), FindHeader(request.headers, "range"));
  for (const auto& [name, value] : own) to_sign += name + ":" + value + "\n";
  const size_t question = url.target.find('?');
  to_sign += "/" + account + url.target.substr(0, question);
  std::map<std::string, std::string> parameters;
  const std::string query = question == std::string::npos ? std::string() : url.target.substr(question + 1);
  for (const std::string_view part : Split(query, '&')) {
    const size_t equal = part.find('=');
    if (equal == std::string_view::npos) continue;
    const Result<std::string> value = PercentDecode(part.substr(equal + 1));
    parameters[std::string(part.substr(0, equal))] = value ? *value : std::string();
  }
  for (const auto& [name, value] : parameters) to_sign += "\n" + name + ":" + value;
  return HttpHeaders{
      {"x-ms-date", date},
      {"authorization", fmt::format("SharedKey {}:{}", account, Base64Encode(HmacSha256(*secret, to_sign)))}};
}

Result<std::unique_ptr<Storage>> OpenAzureStorage(const std::string& location, const StorageOptions& options) {
  auto storage = std::make_unique<AzureStorage>(location, options);
  if (Result<void> configured = storage->Configure(); !configured) return tl::unexpected(configured.error());
  return storage;
}

}  // namespace sparkprof

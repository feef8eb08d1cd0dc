// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <ctime>
#include <utility>

#include "base/text/text.h"
#include "base/text/xml_tree.h"
#include "base/time.h"
#include "http/signing.h"
#include "storage/http_requests.h"
#include "storage/object_storage.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxS3ListBytes = uint64_t{16} << 20;  // maximum size of a page; S3 sends at most 1,000 keys
constexpr int kTriesOfConflict = 3;
constexpr char kEmptySha256[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string FirstOf(std::initializer_list<const char*> names, std::string fallback) {
  for (const char* const name : names) {
    if (std::string value = EnvironmentOf(name); !value.empty()) return value;
  }
  return fallback;
}

class S3Storage : public ObjectStorage {
 public:
  using ObjectStorage::ObjectStorage;

  Result<void> Configure() {
    const std::string bucket = Bucket();
    if (bucket.empty()) return Fail(Root() + ": expected s3a://BUCKET/PREFIX");
    region_ = FirstOf({"AWS_REGION", "AWS_DEFAULT_REGION"}, "us-east-1");
    const std::string endpoint = FirstOf({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "");
    // The certificate of Amazon's hosts does not cover bucket names with dots.
    const bool in_path = !endpoint.empty() || bucket.find('.') != std::string::npos;
    const std::string own = fmt::format("https://{}s3.{}.amazonaws.com", in_path ? "" : bucket + ".", region_);
    const Result<Url> url = ParseUrl(endpoint.empty() ? own : endpoint);
    if (!url) return Fail("AWS_ENDPOINT_URL: " + url.error().message);
    base_ = *url;
    while (base_.target.ends_with('/')) base_.target.pop_back();
    if (in_path) base_.target += "/" + PercentEncode(bucket);
    is_paid_ = EnvironmentOf("AWS_REQUEST_PAYER") == "requester";
    Result<std::unique_ptr<S3CredentialSource>> credentials = OpenS3Credentials(region_, endpoint.empty());
    if (!credentials) return Fail(fmt::format("{}: {}", Root(), credentials.error().message));
    credentials_ = std::move(*credentials);
    return {};
  }

 private:
  Result<ObjectPage> ListPage(const std::string& prefix, const std::string& token) override {
    // Sorted by name, as the signature requires.
    std::string query = token.empty() ? "" : "continuation-token=" + PercentEncode(token) + "&";
    query += "encoding-type=url&list-type=2&prefix=" + PercentEncode(prefix);
    const Result<HttpResponse> answer = Send({}, "/?" + query, kMaxS3ListBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) return tl::unexpected(ErrorOf(Root(), *answer));
    const Result<XmlElement> list = ParseXml(answer->Body());
    if (!list) return Fail(fmt::format("{}: {}", Root(), list.error().message));
    if (list->name != "ListBucketResult") return Fail(Root() + ": expected a list of objects");
    ObjectPage page;
    for (const XmlElement& object : list->children)
      if (object.name == "Contents") AddObject(object, list->Text("EncodingType") == "url", &page);
    if (list->Text("IsTruncated") == "true") page.next = list->Text("NextContinuationToken");
    return page;
  }

  static void AddObject(const XmlElement& object, bool is_encoded, ObjectPage* page) {
    std::string key(object.Text("Key"));
    if (is_encoded) {
      Result<std::string> decoded = PercentDecode(key, /*plus_is_blank=*/true);
      if (!decoded) return;
      key = std::move(*decoded);
    }
    page->objects.push_back({std::move(key), ParseInteger(object.Text("Size")).value_or(-1),
                             ParseUtcTime(std::string(object.Text("LastModified")))});
  }

  Result<HttpResponse> GetObject(const std::string& key, const HttpHeaders& headers, uint64_t max_bytes) override {
    return Send({.headers = headers}, "/" + EncodeKey(key), max_bytes);
  }

  Result<HttpResponse> PutObject(const std::string& key, std::string_view content) override {
    const StorageRequest request{"PUT", content, {{"if-none-match", "*"}}};
    Result<HttpResponse> answer = Send(request, "/" + EncodeKey(key), kMaxErrorBytes);
    // 409: another request for this key is under way.
    for (int again = 0; answer && answer->status == 409 && again < kTriesOfConflict; ++again) {
      answer = Send(request, "/" + EncodeKey(key), kMaxErrorBytes);
    }
    return answer;
  }

  Result<HttpResponse> DeleteObject(const std::string& key) override {
    return Send({"DELETE"}, "/" + EncodeKey(key), kMaxErrorBytes);
  }

  Result<HttpResponse> Send(const StorageRequest& request, const std::string& target, uint64_t max_bytes) {
    Result<HttpResponse> answer = SendSigned(request, target, max_bytes);
    if (!answer || answer->status != 403 || answer->Body().find("RequestTimeTooSkewed") == std::string_view::npos) {
      return answer;
    }
    // Corrects for a wrong clock of this machine by the server's time.
    std::tm time{};
    const std::string date(answer->Header("date"));
    if (strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S", &time) == nullptr) return answer;
    clock_offset_ns_ = timegm(&time) * kNanosPerSecond - EpochNanos();
    return SendSigned(request, target, max_bytes);
  }

  Result<HttpResponse> SendSigned(const StorageRequest& request, const std::string& target, uint64_t max_bytes) {
    Url url = base_;
    url.target += target;
    HttpHeaders all;
    const Result<S3Credentials> credentials = credentials_->Get();
    if (!credentials) return Fail(fmt::format("{}: {}", Root(), credentials.error().message));
    if (!credentials->access_key.empty()) {
      all = SignS3Request(url, *credentials, region_, EpochNanos() + clock_offset_ns_, is_paid_, request);
    }
    all.insert(all.end(), request.headers.begin(), request.headers.end());
    return SendPatiently(request, url, all, max_bytes, Options());
  }

  Error ErrorOf(const std::string& place, const HttpResponse& answer) const override {
    const Result<XmlElement> error = ParseXml(answer.Body());
    std::string text = error ? fmt::format("{}: {}", error->Text("Code"), error->Text("Message")) : std::string();
    if (const std::string_view region = answer.Header("x-amz-bucket-region"); !region.empty() && region != region_) {
      text += fmt::format(" (the bucket is in another region: set AWS_REGION={})", region);
    }
    return UnexpectedAnswer(place, answer, text);
  }

  std::unique_ptr<S3CredentialSource> credentials_;
  bool is_paid_ = false;  // whether the requester pays
  std::string region_;
  Url base_;  // URL of the bucket
  std::atomic<int64_t> clock_offset_ns_ = 0;
};

}  // namespace

HttpHeaders SignS3Request(const Url& url, const S3Credentials& credentials, const std::string& region, int64_t time_ns,
                          bool is_paid, const StorageRequest& request) {
  const std::tm utc = fmt::gmtime(static_cast<std::time_t>(time_ns / kNanosPerSecond));
  const std::string time = fmt::format("{:%Y%m%dT%H%M%SZ}", utc);
  const std::string day = time.substr(0, 8);
  const size_t question = url.target.find('?');
  const std::string path = url.target.substr(0, question);
  const std::string query = question == std::string::npos ? "" : url.target.substr(question + 1);
  const std::string content = request.body.empty() ? kEmptySha256 : Sha256Hex(request.body);
  HttpHeaders headers{{"x-amz-content-sha256", content}, {"x-amz-date", time}};
  if (is_paid) headers.emplace_back("x-amz-request-payer", "requester");
  if (!credentials.session_token.empty()) headers.emplace_back("x-amz-security-token", credentials.session_token);
  std::string canonical_headers = "host:" + url.Authority() + "\n", names = "host";
  for (const auto& [name, value] : headers) {
    canonical_headers += name + ":" + value + "\n";
    names += ";" + name;
  }
  const std::string canonical =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, path, query, canonical_headers, names, content);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, region);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, Sha256Hex(canonical));
  std::string key = HmacSha256("AWS4" + credentials.secret_key, day);
  for (const std::string_view part :
       {std::string_view(region), std::string_view("s3"), std::string_view("aws4_request")}) {
    key = HmacSha256(key, part);
  }
  headers.emplace_back("authorization",
                       fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                                   credentials.access_key, scope, names, ToHex(HmacSha256(key, to_sign))));
  return headers;
}

Result<std::unique_ptr<Storage>> OpenS3Storage(const std::string& location, const StorageOptions& options) {
  auto storage = std::make_unique<S3Storage>(location, options);
  if (Result<void> configured = storage->Configure(); !configured) return tl::unexpected(configured.error());
  return storage;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "storage/s3_storage.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "base/time.h"
#include "base/xml_tree.h"
#include "http/signing.h"
#include "storage/http_requests.h"
#include "storage/listing_builder.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxS3ListBytes = uint64_t{16} << 20;  // of one page; S3 sends at most 1,000 keys
constexpr uint64_t kMaxS3ErrorBytes = uint64_t{64} << 10;
constexpr char kEmptySha256[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::string FirstOf(std::initializer_list<const char*> names, std::string fallback) {
  for (const char* const name : names) {
    if (std::string value = Environment(name); !value.empty()) return value;
  }
  return fallback;
}

std::string EncodeS3Path(std::string_view path) {
  std::string encoded;
  for (const std::string_view segment : Split(path, '/')) encoded += "/" + PercentEncode(segment);
  return encoded.substr(1);
}

// "2026-11-23T09:33:40.000Z"; 0 if it is none.
int64_t ParseS3Time(const std::string& text) {
  std::tm time{};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) return 0;
  const size_t dot = text.find('.');
  const int64_t millis = dot == std::string::npos ? 0 : ParseInteger(text.substr(dot + 1, 3)).value_or(0);
  return timegm(&time) * kNanosPerSecond + millis * kNanosPerMilli;
}

class S3Storage : public Storage {
 public:
  S3Storage(std::string root, const StorageOptions& options) : root_(std::move(root)), options_(options) {}

  Result<void> Configure() {
    const size_t begin = root_.find("://") + 3;
    const size_t slash = root_.find('/', begin);
    const std::string bucket = root_.substr(begin, slash - begin);
    if (slash != std::string::npos) prefix_ = root_.substr(slash + 1) + "/";
    if (bucket.empty()) return Fail(root_ + ": expected s3a://BUCKET/PREFIX");
    credentials_ = {Environment("AWS_ACCESS_KEY_ID"), Environment("AWS_SECRET_ACCESS_KEY"),
                    Environment("AWS_SESSION_TOKEN")};
    if (credentials_.access_key.empty() != credentials_.secret_key.empty()) {
      return Fail(root_ + ": AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY require each other");
    }
    region_ = FirstOf({"AWS_REGION", "AWS_DEFAULT_REGION"}, "us-east-1");
    const std::string endpoint = FirstOf({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "");
    // The certificate of Amazon's hosts does not cover buckets with dots.
    const bool in_path = !endpoint.empty() || bucket.find('.') != std::string::npos;
    const std::string own = fmt::format("https://{}s3.{}.amazonaws.com", in_path ? "" : bucket + ".", region_);
    const Result<Url> url = ParseUrl(endpoint.empty() ? own : endpoint);
    if (!url) return Fail("AWS_ENDPOINT_URL: " + url.error().message);
    base_ = *url;
    while (base_.target.ends_with('/')) base_.target.pop_back();
    if (in_path) base_.target += "/" + PercentEncode(bucket);
    return {};
  }

  const std::string& Root() const override { return root_; }
  bool IsRemote() const override { return true; }

  Result<StorageListing> List() override {
    ListingBuilder listing(options_);
    std::string token;
    do {
      const Result<XmlElement> page = ListPage(token);
      if (!page) return tl::unexpected(page.error());
      const bool is_encoded = page->Text("EncodingType") == "url";
      for (const XmlElement& object : page->children) {
        if (object.name == "Contents") AddObject(object, is_encoded, &listing);
      }
      const std::string next(page->Text("IsTruncated") == "true" ? page->Text("NextContinuationToken") : "");
      if (!next.empty() && next == token) return Fail(root_ + ": the list of objects does not end");
      token = next;
    } while (!token.empty() && !listing.IsFull());
    return listing.Take();
  }

  Result<std::string> Read(const std::string& name, int64_t offset, size_t size) override {
    if (size == 0) return std::string();
    const std::string key = prefix_ + name.substr(root_.size() + 1);
    const std::string range = fmt::format("bytes={}-{}", offset, offset + static_cast<int64_t>(size) - 1);
    Result<HttpResponse> answer = Get("/" + EncodeS3Path(key), {{"range", range}}, size + kMaxS3ErrorBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status == 416) return std::string();  // behind the end
    if (answer->status != 206 && answer->status != 200) return tl::unexpected(ErrorOf(name, *answer));
    std::string bytes(answer->Body());
    if (answer->status == 200)
      bytes.erase(0, static_cast<size_t>(std::min<int64_t>(offset, static_cast<int64_t>(bytes.size()))));
    bytes.resize(std::min(bytes.size(), size));
    return bytes;
  }

 private:
  Result<XmlElement> ListPage(const std::string& token) {
    // Sorted by name, as the signature requires.
    std::string query = token.empty() ? "" : "continuation-token=" + PercentEncode(token) + "&";
    query += "encoding-type=url&list-type=2&prefix=" + PercentEncode(prefix_);
    const Result<HttpResponse> answer = Get("/?" + query, {}, kMaxS3ListBytes);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status != 200) return tl::unexpected(ErrorOf(root_, *answer));
    Result<XmlElement> page = ParseXml(answer->Body());
    if (!page) return Fail(fmt::format("{}: {}", root_, page.error().message));
    if (page->name != "ListBucketResult") return Fail(root_ + ": expected a list of objects");
    return page;
  }

  void AddObject(const XmlElement& object, bool is_encoded, ListingBuilder* listing) const {
    std::string key(object.Text("Key"));
    if (is_encoded) {
      Result<std::string> decoded = PercentDecode(key, /*plus_is_blank=*/true);
      if (!decoded) return;
      key = std::move(*decoded);
    }
    const std::optional<int64_t> size = ParseInteger(object.Text("Size"));
    if (!size || *size < 0 || !key.starts_with(prefix_) || key.ends_with('/') || key.size() == prefix_.size()) return;
    listing->Add(
        {root_ + "/" + key.substr(prefix_.size()), *size, ParseS3Time(std::string(object.Text("LastModified")))});
  }

  Result<HttpResponse> Get(const std::string& target, const HttpHeaders& headers, uint64_t max_bytes) {
    Result<HttpResponse> answer = GetSigned(target, headers, max_bytes);
    if (!answer || answer->status != 403 || answer->Body().find("RequestTimeTooSkewed") == std::string_view::npos) {
      return answer;
    }
    // This machine's clock is wrong: the server's counts.
    std::tm time{};
    const std::string date(answer->Header("date"));
    if (strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S", &time) == nullptr) return answer;
    clock_offset_ns_ = timegm(&time) * kNanosPerSecond - EpochNanos();
    return GetSigned(target, headers, max_bytes);
  }

  Result<HttpResponse> GetSigned(const std::string& target, const HttpHeaders& headers, uint64_t max_bytes) const {
    Url url = base_;
    url.target += target;
    HttpHeaders all;
    if (!credentials_.access_key.empty()) {
      all = SignS3Request(url, credentials_, region_, EpochNanos() + clock_offset_ns_);
    }
    all.insert(all.end(), headers.begin(), headers.end());
    return GetPatiently(url, all, max_bytes, options_);
  }

  Error ErrorOf(const std::string& place, const HttpResponse& answer) const {
    const Result<XmlElement> error = ParseXml(answer.Body());
    std::string text = error ? fmt::format("{}: {}", error->Text("Code"), error->Text("Message")) : std::string();
    if (const std::string_view region = answer.Header("x-amz-bucket-region"); !region.empty() && region != region_) {
      text += fmt::format(" (the bucket is in another region: set AWS_REGION={})", region);
    }
    return UnexpectedAnswer(place, answer, text);
  }

  const std::string root_;
  const StorageOptions options_;
  std::string prefix_;  // empty, or with '/' at its end
  S3Credentials credentials_;
  std::string region_;
  Url base_;  // of the bucket
  std::atomic<int64_t> clock_offset_ns_ = 0;
};

}  // namespace

HttpHeaders SignS3Request(const Url& url, const S3Credentials& credentials, const std::string& region,
                          int64_t time_ns) {
  const std::tm utc = fmt::gmtime(static_cast<std::time_t>(time_ns / kNanosPerSecond));
  const std::string time = fmt::format("{:%Y%m%dT%H%M%SZ}", utc);
  const std::string day = time.substr(0, 8);
  const size_t question = url.target.find('?');
  const std::string path = url.target.substr(0, question);
  const std::string query = question == std::string::npos ? "" : url.target.substr(question + 1);
  HttpHeaders headers{{"x-amz-content-sha256", kEmptySha256}, {"x-amz-date", time}};
  if (!credentials.session_token.empty()) headers.emplace_back("x-amz-security-token", credentials.session_token);
  std::string canonical_headers = "host:" + url.Authority() + "\n", names = "host";
  for (const auto& [name, value] : headers) {
    canonical_headers += name + ":" + value + "\n";
    names += ";" + name;
  }
  const std::string request =
      fmt::format("GET\n{}\n{}\n{}\n{}\n{}", path, query, canonical_headers, names, kEmptySha256);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, region);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope, Sha256Hex(request));
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
  std::string root = location;
  while (root.ends_with('/')) root.pop_back();
  auto storage = std::make_unique<S3Storage>(std::move(root), options);
  if (Result<void> configured = storage->Configure(); !configured) return tl::unexpected(configured.error());
  return storage;
}

}  // namespace sparkprof

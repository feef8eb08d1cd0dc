// SPDX-License-Identifier: Apache-2.0
#include "loader/remote_inputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "http/http_client.h"
#include "storage/storage.h"

namespace sparkprof {
namespace {

constexpr std::string_view kApi = "/api/sparkprof/v1";
constexpr std::string_view kApplications = "/applications/";
constexpr std::string_view kGroups = "/groups/";
constexpr int kLastRuns = 20;  // same number as tune --fleet
constexpr uint64_t kMaxListBytes = uint64_t{1} << 20;

// Letters, digits and some other characters of an application ID.
std::string SafeName(std::string_view id) {
  constexpr size_t kLongest = 100;
  std::string name;
  for (const char c : id.substr(0, kLongest)) name += IsAlnum(c) || c == '-' || c == '_' || c == '.' ? c : '_';
  return name.starts_with('.') ? "_" + name : name;
}

// The API's error message, or another response unchanged.
std::string MessageOfAnswer(std::string_view body) {
  constexpr size_t kMax = 200;
  simdjson::dom::parser parser;
  std::string_view message;
  if (parser.parse(simdjson::padded_string(body))["error"]["message"].get(message) == simdjson::SUCCESS) {
    return std::string(message);
  }
  return std::string(body.substr(0, kMax));
}

// The segment after the last `kind` in the path, undecoded; empty = none.
std::string_view NameAfter(std::string_view kind, std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  const size_t begin = path.rfind(kind);
  const std::string_view name = begin == std::string_view::npos ? "" : path.substr(begin + kind.size());
  return name.substr(0, name.find('/'));
}

Result<std::string_view> IdOf(const std::string& text, const Url& url) {
  const std::string_view id = NameAfter(kApplications, url.target);
  if (!id.empty()) return id;
  return Fail(fmt::format("{}: not the address of an application; expected http://HOST:PORT/applications/ID", text));
}

// API address of the collector that `url`, a page or request with `kind` in its path, belongs to.
std::string ApiOf(const Url& url, std::string_view kind) {
  const std::string_view path = std::string_view(url.target).substr(0, url.target.find('?'));
  std::string_view prefix = path.substr(0, path.rfind(kind));
  if (prefix.ends_with(kApi)) prefix.remove_suffix(kApi.size());
  return fmt::format("{}://{}{}{}", url.scheme, url.Authority(), prefix, kApi);
}

}  // namespace

bool IsUrl(std::string_view path) { return path.starts_with("http://") || path.starts_with("https://"); }

bool IsRemote(std::string_view path) { return IsUrl(path) || IsRemoteLocation(path); }

Result<std::string> RecordingUrl(const std::string& text) {
  const Result<Url> url = ParseUrl(text);
  if (!url) return tl::unexpected(url.error());
  const Result<std::string_view> id = IdOf(text, *url);
  if (!id) return tl::unexpected(id.error());
  std::string attempt;
  const size_t question = url->target.find('?');
  const std::string query = question == std::string::npos ? std::string() : url->target.substr(question + 1);
  for (const std::string_view part : Split(query, '&')) {
    if (part.starts_with("attempt=")) attempt = "?" + std::string(part);
  }
  return fmt::format("{}{}{}/recording{}", ApiOf(*url, kApplications), kApplications, *id, attempt);
}

bool IsGroupUrl(const std::string& text) {
  const Result<Url> url = ParseUrl(text);
  return url && NameAfter(kApplications, url->target).empty() && !NameAfter(kGroups, url->target).empty();
}

Result<std::string> LastRunsUrl(const std::string& text) {
  const Result<Url> url = ParseUrl(text);
  if (!url) return tl::unexpected(url.error());
  const Result<std::string> group = PercentDecode(NameAfter(kGroups, url->target));
  if (!group || group->empty()) {
    return Fail(fmt::format("{}: not the address of a group; expected http://HOST:PORT/groups/NAME", text));
  }
  return fmt::format("{}/applications?status=finished&sort=-startTime&limit={}&group={}", ApiOf(*url, kGroups),
                     kLastRuns, PercentEncode(*group));
}

Result<std::string> RemoteInputs::Folder() {
  if (!folder_) {
    Result<std::unique_ptr<TemporaryFolder>> folder = TemporaryFolder::Make();
    if (!folder) return tl::unexpected(folder.error());
    folder_ = std::move(*folder);
  }
  return folder_->Path();
}

Result<void> RemoteInputs::Get(const std::string& text, const std::string& request, uint64_t max_bytes,
                               const HttpSink& sink) const {
  const Result<Url> url = ParseUrl(request);
  if (!url) return tl::unexpected(url.error());
  HttpHeaders headers;
  if (!access_.token.empty()) headers.emplace_back("authorization", "Bearer " + access_.token);
  const Result<HttpResponse> response =
      Download(*url, headers, sink,
               {.max_response_bytes = max_bytes, .certificate_authorities = access_.certificate_authorities});
  if (!response) return tl::unexpected(response.error());
  if (response->status >= 300 && response->status < 400) {
    return Fail(
        fmt::format("{}: redirected to {}; redirects are not followed", text, ToOneLine(response->Header("location"))));
  }
  if (response->status == 401) {
    return Fail(text + ": the server requires a token: --token-file FILE, or the variable SPARKPROF_SERVER_TOKEN");
  }
  if (response->status != 200) {
    return Fail(fmt::format("{}: the server answered {}: {}", text, response->status,
                            ToOneLine(MessageOfAnswer(response->Body()))));
  }
  return {};
}

Result<std::string> RemoteInputs::Fetch(const std::string& text, const OnBytes& on_bytes) {
  if (IsRemoteLocation(text)) return Copy(text, on_bytes);
  const Result<std::string> request = RecordingUrl(text);
  if (!request) return request;
  const std::string target = ParseUrl(text).value().target;
  const Result<std::string> folder = Folder();
  if (!folder) return folder;
  const std::string id = SafeName(PercentDecode(NameAfter(kApplications, target)).value_or("application"));
  const std::string path =
      fmt::format("{}/{}{}.sprof", *folder, ++fetched_ == 1 ? "" : fmt::format("{}-", fetched_), id);
  const Result<FileDescriptor> file = CreateNewFile(path, O_WRONLY);
  if (!file) return tl::unexpected(file.error());
  uint64_t bytes = 0;
  const Result<void> fetched = Get(text, *request, access_.max_bytes, [&](std::string_view piece) {
    bytes += piece.size();
    on_bytes(bytes);
    return WriteAll(file->Get(), piece, path);
  });
  if (!fetched) return tl::unexpected(fetched.error());
  return path;
}

Result<std::string> RemoteInputs::Copy(const std::string& location, const OnBytes& on_bytes) {
  const Result<std::string> folder = Folder();
  if (!folder) return folder;
  // A separate folder, because two locations may have the same name.
  const std::string own = fmt::format("{}/{}", *folder, ++fetched_);
  if (Result<void> made = CreateNewFolder(own); !made) return tl::unexpected(made.error());
  return CopyStored(location, own, {}, on_bytes);
}

Result<std::vector<std::string>> RemoteInputs::FetchGroup(const std::string& text, const OnBytes& on_bytes) {
  const Result<std::string> request = LastRunsUrl(text);
  if (!request) return tl::unexpected(request.error());
  std::string list;
  const Result<void> listed = Get(text, *request, kMaxListBytes, [&list](std::string_view piece) -> Result<void> {
    list += piece;
    return {};
  });
  if (!listed) return tl::unexpected(listed.error());
  simdjson::dom::parser parser;
  simdjson::dom::array applications;
  if (parser.parse(simdjson::padded_string(list))["applications"].get(applications) != simdjson::SUCCESS) {
    return Fail(text + ": the server's list of applications is not valid");
  }
  const std::string api = ApiOf(ParseUrl(text).value(), kGroups);
  std::vector<std::string> paths;
  for (const simdjson::dom::element application : applications) {
    std::string_view id, attempt;
    if (application["id"].get(id) != simdjson::SUCCESS) continue;
    const std::string of_attempt = application["attempt"].get(attempt) == simdjson::SUCCESS && !attempt.empty()
                                       ? "?attempt=" + PercentEncode(attempt)
                                       : "";
    Result<std::string> path =
        Fetch(fmt::format("{}{}{}{}", api, kApplications, PercentEncode(id), of_attempt), on_bytes);
    if (!path) return tl::unexpected(path.error());
    paths.push_back(std::move(*path));
  }
  if (paths.empty()) return Fail(text + ": the group has no finished application");
  return paths;
}

}  // namespace sparkprof

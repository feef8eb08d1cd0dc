// SPDX-License-Identifier: Apache-2.0
#include "loader/remote_inputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "base/characters.h"
#include "base/file.h"
#include "base/private_file.h"
#include "base/text.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

constexpr std::string_view kApi = "/api/sparkprof/v1";
constexpr std::string_view kApplications = "/applications/";

// The files that a signal handler removes, in fixed memory: it may not allocate.
constexpr size_t kMostFiles = 64;
constexpr size_t kLongestPath = 512;
using PathText = std::array<char, kLongestPath>;
std::array<PathText, kMostFiles> removed_files;
PathText removed_folder;
volatile sig_atomic_t removed_count = 0;

void RemoveAndDie(int signal_number) {
  for (int row = 0; row < removed_count; ++row) unlink(removed_files[static_cast<size_t>(row)].data());
  rmdir(removed_folder.data());
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void RemoveAtSignals(const std::string& folder) {
  folder.copy(removed_folder.data(), kLongestPath - 1);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal(signal_number, RemoveAndDie) == SIG_IGN) signal(signal_number, SIG_IGN);
  }
}

// Letters, digits and a few others of an application's ID.
std::string SafeName(std::string_view id) {
  constexpr size_t kLongest = 100;
  std::string name;
  for (const char c : id.substr(0, kLongest)) name += IsAlnum(c) || c == '-' || c == '_' || c == '.' ? c : '_';
  return name.starts_with('.') ? "_" + name : name;
}

// The message of an error of the API; another answer as it is.
std::string MessageOfAnswer(std::string_view body) {
  constexpr size_t kMost = 200;
  simdjson::dom::parser parser;
  std::string_view message;
  if (parser.parse(simdjson::padded_string(body))["error"]["message"].get(message) == simdjson::SUCCESS) {
    return std::string(message);
  }
  return std::string(body.substr(0, kMost));
}

// The ID in the path, as it is written there.
Result<std::string_view> IdOf(const std::string& text, const Url& url) {
  const std::string_view path = std::string_view(url.target).substr(0, url.target.find('?'));
  const size_t begin = path.rfind(kApplications);
  std::string_view id = begin == std::string_view::npos ? "" : path.substr(begin + kApplications.size());
  id = id.substr(0, id.find('/'));
  if (!id.empty()) return id;
  return Fail(fmt::format("{}: not the address of an application; expected http://HOST:PORT/applications/ID", text));
}

}  // namespace

bool IsUrl(std::string_view path) { return path.starts_with("http://") || path.starts_with("https://"); }

Result<std::string> RecordingUrl(const std::string& text) {
  const Result<Url> url = ParseUrl(text);
  if (!url) return tl::unexpected(url.error());
  const Result<std::string_view> id = IdOf(text, *url);
  if (!id) return tl::unexpected(id.error());
  const std::string_view path = std::string_view(url->target).substr(0, url->target.find('?'));
  std::string_view prefix = path.substr(0, path.rfind(kApplications));
  if (prefix.ends_with(kApi)) prefix.remove_suffix(kApi.size());
  std::string attempt;
  const size_t query = url->target.find('?');
  for (const std::string_view part : Split(query == std::string::npos ? "" : url->target.substr(query + 1), '&')) {
    if (part.starts_with("attempt=")) attempt = "?" + std::string(part);
  }
  return fmt::format("{}://{}{}{}{}{}/recording{}", url->scheme, url->Authority(), prefix, kApi, kApplications, *id,
                     attempt);
}

RemoteInputs::~RemoteInputs() {
  removed_count = 0;
  for (const std::string& file : files_) unlink(file.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
}

Result<std::string> RemoteInputs::Fetch(const std::string& text, const OnBytes& on_bytes) {
  const Result<std::string> request = RecordingUrl(text);
  if (!request) return request;
  const Result<Url> url = ParseUrl(*request);
  if (!url) return tl::unexpected(url.error());
  if (files_.size() == kMostFiles) return Fail(fmt::format("{}: more than {} addresses", text, kMostFiles));
  if (folder_.empty()) {
    const char* const temporary = std::getenv("TMPDIR");
    std::string folder =
        fmt::format("{}/sparkprof-XXXXXX", temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary);
    if (folder.size() + kLongestPath / 2 > kLongestPath) return Fail(folder + ": the name of TMPDIR is too long");
    if (mkdtemp(folder.data()) == nullptr) return tl::unexpected(SystemError(folder, "cannot create"));
    folder_ = folder;
    RemoveAtSignals(folder_);
  }
  const std::string name = SafeName(PercentDecode(IdOf(text, *url).value()).value_or("application"));
  const std::string path =
      fmt::format("{}/{}{}.sprof", folder_, files_.empty() ? "" : fmt::format("{}-", files_.size() + 1), name);
  const Result<FileDescriptor> file = CreateNewFile(path, O_WRONLY);
  if (!file) return tl::unexpected(file.error());
  files_.push_back(path);
  path.copy(removed_files[static_cast<size_t>(removed_count)].data(), kLongestPath - 1);
  removed_count = removed_count + 1;

  HttpHeaders headers;
  if (!access_.token.empty()) headers.emplace_back("authorization", "Bearer " + access_.token);
  uint64_t bytes = 0;
  const Result<HttpResponse> response =
      Download(*url, headers,
               [&](std::string_view piece) {
                 bytes += piece.size();
                 on_bytes(bytes);
                 return WriteAll(file->Get(), piece, path);
               },
               {.max_response_bytes = access_.max_bytes, .certificate_authorities = access_.certificate_authorities});
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
  return path;
}

}  // namespace sparkprof

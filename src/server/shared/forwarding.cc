// SPDX-License-Identifier: Apache-2.0
#include "server/shared/forwarding.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "http/http_client.h"
#include "http/signing.h"

namespace sparkprof {
namespace {

constexpr std::string_view kMark = "sparkprof-forwarded";  // "ADDRESS PROOF"
constexpr std::string_view kForwarded = "request";
// Reading an application may take longer; the other node continues, and has it for the next request.
constexpr std::chrono::seconds kPatience{5};
// Other results depend on the node: its tokens may be older, its copy of the store outdated, its threads busy.
constexpr unsigned kFinal[] = {200, 304, 400, 403, 413};
constexpr std::string_view kAnswerHeaders[] = {
    "content-type",        "content-encoding",       "vary", "etag", "cache-control",
    "content-disposition", "content-security-policy"};

std::string TargetOf(const HttpRequest& request) {
  std::string target;
  for (const std::string& segment : request.segments) target += "/" + PercentEncode(segment);
  char separator = '?';
  for (const auto& [name, value] : request.parameters) {
    target += separator + PercentEncode(name) + "=" + PercentEncode(value);
    separator = '&';
  }
  return target;
}

}  // namespace

Forwarding::Forwarding(LiveNodes* nodes, std::vector<std::string> identity)
    : nodes_(nodes), headers_(std::move(identity)) {
  headers_.insert(headers_.end(), {"accept-encoding", "if-none-match"});
  std::sort(headers_.begin(), headers_.end());
  headers_.erase(std::unique(headers_.begin(), headers_.end()), headers_.end());
}

bool Forwarding::IsMarked(const HttpRequest& request) { return !request.Header(kMark).empty(); }

std::string Forwarding::ProofOf(const HttpRequest& request, const std::string& to) const {
  std::string text = fmt::format("{}\n{}\n{}\n", request.peer, request.method, TargetOf(request));
  for (const std::string& name : headers_) {
    for (const auto& [header, value] : request.headers) {
      if (header == name) text += fmt::format("{}: {}\n", name, value);
    }
  }
  return nodes_->ProofFor(to, kForwarded, text);
}

std::optional<HttpRequest> Forwarding::Received(const HttpRequest& request) const {
  const std::string_view mark = request.Header(kMark);
  const size_t blank = std::min(mark.find(' '), mark.size());
  HttpRequest received = request;
  received.peer = mark.substr(0, blank);
  const bool is_proved = blank < mark.size() && IsSameSecret(mark.substr(blank + 1), ProofOf(received, nodes_->Id()));
  return is_proved ? std::optional(std::move(received)) : std::nullopt;
}

std::optional<HttpResponse> Forwarding::Answer(std::string_view application, const HttpRequest& request) {
  const std::shared_ptr<LiveNode> owner = nodes_->OwnerOf(application);
  if (!owner) return std::nullopt;
  HttpRequest forwarded{.method = request.method,
                        .segments = request.segments,
                        .parameters = request.parameters,
                        .headers = {},
                        .body = {},
                        .peer = request.peer};
  for (const auto& [name, value] : request.headers) {
    if (!std::binary_search(headers_.begin(), headers_.end(), name)) continue;
    // Access treats a repeated header differently, but SendHttp does not keep repetitions.
    const bool is_repeated = std::any_of(forwarded.headers.begin(), forwarded.headers.end(),
                                         [&, &header = name](const auto& other) { return other.first == header; });
    if (is_repeated) return std::nullopt;
    forwarded.headers.emplace_back(name, HeaderValue(value));
  }
  forwarded.headers.emplace_back(kMark, fmt::format("{} {}", request.peer, ProofOf(forwarded, owner->id)));
  Url url = owner->url;
  url.target = TargetOf(request);
  const auto begin = std::chrono::steady_clock::now();
  const Result<HttpResponse> got =
      SendHttp(request.method, url, forwarded.headers, {},
               {.timeout = kPatience, .stop = &owner->is_silent, .certificate_authorities = {}});
  if (!got && std::chrono::steady_clock::now() - begin < kPatience) owner->is_silent = true;
  if (!got || std::find(std::begin(kFinal), std::end(kFinal), got->status) == std::end(kFinal)) {
    ++unanswered;
    return std::nullopt;
  }
  ++answered;
  HttpResponse response{got->status, {}, got->body, nullptr};
  for (const std::string_view name : kAnswerHeaders) {
    if (const std::string_view value = got->Header(name); !value.empty()) response.headers.emplace_back(name, value);
  }
  return response;
}

}  // namespace sparkprof

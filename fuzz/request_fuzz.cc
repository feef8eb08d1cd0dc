// SPDX-License-Identifier: Apache-2.0
// Texts of requests to the collector: targets, URLs, forms, configurations, heads. The first byte selects which.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "http/url.h"
#include "http_server/request_head.h"
#include "server/access/access.h"
#include "server/folders/collector_files.h"
#include "server/runs/group_configurations.h"

namespace sparkprof {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// An accepted name leads to its own folder only, and encodes back to itself.
void CheckTarget(std::string_view text) {
  HttpRequest request;
  if (!ParseTarget(text, &request)) return;
  std::string target;
  for (const std::string& segment : request.segments) {
    Require(!segment.empty() && segment != "." && segment != "..");
    const std::string name = FileNameFor(segment);
    Require(name.find('/') == std::string::npos && !name.starts_with('.') && name.size() < 200);
    target += "/" + PercentEncode(segment);
  }
  HttpRequest again;
  Require(ParseTarget(target.empty() ? "/" : target, &again).has_value() && again.segments == request.segments);
}

void CheckUrl(std::string_view text) {
  const Result<Url> url = ParseUrl(text);
  if (!url) return;
  Require(!url->host.empty() && url->target.starts_with('/'));
  (void)ParseListenAddress(text);
}

void CheckHeaders(std::string_view text) {
  HttpRequest request;
  request.headers = {{"host", std::string(text)}, {"origin", std::string(text)}, {"cookie", std::string(text)}};
  (void)IsForged(request, true);
  Require(Access().RoleOf(request) == Role::kAdmin);
}

void CheckConfiguration(std::string_view text) {
  const auto settings = ParseConfiguration(std::string(text));
  if (!settings) return;
  const std::string json = ConfigurationJson({1, *settings});
  const auto again = ParseConfiguration(json);
  Require(again.has_value() && *again == *settings);
}

// The end of a head does not depend on the pieces in which it arrives, and no line of it is folded or bare.
void CheckHead(std::string_view text) {
  constexpr size_t kMaxBytes = 4096;
  HeadScanner whole(kMaxBytes), in_pieces(kMaxBytes);
  const std::optional<HeadProblem> problem = whole.Scan(text);
  std::optional<HeadProblem> same;
  for (size_t size = 0; size <= text.size() && !same; size += 1 + size % 7) same = in_pieces.Scan(text.substr(0, size));
  if (!same) same = in_pieces.Scan(text);
  Require(problem.has_value() == same.has_value() && whole.Size() == in_pieces.Size());
  if (problem || whole.Size() == 0) return;
  const std::string_view head = text.substr(0, whole.Size());
  Require(head.ends_with("\r\n") && head.find("\n ") == std::string_view::npos);
  HttpHeaders headers;
  for (std::string_view line : Split(head, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    headers.emplace_back(ToLowerAscii(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  for (const unsigned version : {10U, 11U}) {
    if (const std::optional<HeadProblem> framing = CheckFraming(headers, version)) Require(!framing->message.empty());
  }
}

}  // namespace
}  // namespace sparkprof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      sparkprof::CheckTarget(text);
      break;
    case 1:
      sparkprof::CheckUrl(text);
      break;
    case 2:
      sparkprof::CheckHeaders(text);
      break;
    case 3:
      sparkprof::CheckConfiguration(text);
      break;
    default:
      sparkprof::CheckHead(text);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Texts of requests to the collector: targets, URLs, forms, configurations. The first byte selects which.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/url.h"
#include "server/access.h"
#include "server/file_name.h"
#include "server/group_configurations.h"

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

}  // namespace
}  // namespace sparkprof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      sparkprof::CheckTarget(text);
      break;
    case 1:
      sparkprof::CheckUrl(text);
      break;
    case 2:
      sparkprof::CheckHeaders(text);
      break;
    default:
      sparkprof::CheckConfiguration(text);
  }
  return 0;
}

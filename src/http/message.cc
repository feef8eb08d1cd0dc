// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <algorithm>

namespace sparkprof {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string_view Find(const Pairs& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [name](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

std::string_view FindHeader(const HttpHeaders& headers, std::string_view name) { return Find(headers, name); }

std::string_view HttpRequest::Parameter(std::string_view name) const { return Find(parameters, name); }

HttpResponse MakeResponse(unsigned status, std::string content_type, std::string body) {
  return {status, {{"content-type", std::move(content_type)}}, std::make_shared<const std::string>(std::move(body))};
}

}  // namespace sparkprof

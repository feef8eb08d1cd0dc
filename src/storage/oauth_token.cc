// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "http/http_client.h"
#include "storage/credentials.h"
#include "storage/http_requests.h"

namespace sparkprof {

Result<OAuthToken::Known> AskForToken(const std::string& url, const HttpHeaders& headers, const std::string& form) {
  constexpr std::chrono::seconds kTimeout{5};
  constexpr uint64_t kMaxBytes = uint64_t{1} << 20;
  constexpr int64_t kDay = 86'400;
  const Result<Url> parsed = ParseUrl(url);
  if (!parsed) return tl::unexpected(parsed.error());
  HttpHeaders all = headers;
  if (!form.empty()) all.emplace_back("content-type", "application/x-www-form-urlencoded");
  const std::string place = "the token of " + parsed->Authority();
  const Result<HttpResponse> answer = SendHttp(form.empty() ? "GET" : "POST", *parsed, all, form,
                                               {.timeout = kTimeout, .max_response_bytes = kMaxBytes});
  if (!answer) return Fail(fmt::format("{}: {}", place, answer.error().message));
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const bool is_json =
      parser.parse(simdjson::padded_string(answer->Body())).get_object().get(object) == simdjson::SUCCESS;
  if (answer->status != 200)
    return tl::unexpected(UnexpectedAnswer(place, *answer, is_json ? TextAt(object, "error_description") : ""));
  const std::string_view token = is_json ? TextAt(object, "access_token") : std::string_view();
  if (token.empty()) return Fail(place + ": the answer has no access_token");
  // Azure's metadata service sends the number as text.
  const int64_t as_text = ParseInteger(TextAt(object, "expires_in")).value_or(0);
  const int64_t seconds = std::clamp<int64_t>(std::max(as_text, IntegerAt(object, "expires_in", 0)), 0, kDay);
  return OAuthToken::Known{std::string(token), EpochNanos() + seconds * kNanosPerSecond};
}

std::string FormOf(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string form;
  for (const auto& [name, value] : fields)
    form += fmt::format("{}{}={}", form.empty() ? "" : "&", name, PercentEncode(value));
  return form;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "storage/http_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

constexpr std::chrono::milliseconds kTimeout{20'000};
constexpr std::chrono::milliseconds kPauses[] = {std::chrono::milliseconds(200), std::chrono::milliseconds(1'000)};
constexpr std::chrono::milliseconds kStopCheck{50};
constexpr size_t kMaxQuotedBytes = 300;

bool IsBusy(unsigned status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

// False: stopped.
bool Pause(std::chrono::milliseconds pause, const StorageOptions& options) {
  for (; pause.count() > 0; pause -= kStopCheck) {
    if (options.stop != nullptr && *options.stop) return false;
    std::this_thread::sleep_for(std::min(pause, kStopCheck));
  }
  return true;
}

}  // namespace

Result<HttpResponse> GetPatiently(const Url& url, const HttpHeaders& headers, uint64_t max_bytes,
                                  const StorageOptions& options) {
  HttpClientOptions client;
  client.timeout = kTimeout;
  client.max_response_bytes = max_bytes;
  client.stop = options.stop;
  Result<HttpResponse> answer = SendHttp("GET", url, headers, {}, client);
  for (const std::chrono::milliseconds pause : kPauses) {
    if (answer && !IsBusy(answer->status)) break;
    if (!Pause(pause, options)) break;
    answer = SendHttp("GET", url, headers, {}, client);
  }
  return answer;
}

Error UnexpectedAnswer(const std::string& place, const HttpResponse& answer, std::string_view text) {
  const std::string reason = Shorten(ToOneLine(Trim(text)), kMaxQuotedBytes);
  return Error{fmt::format("{}: status {}{}{}", place, answer.status, reason.empty() ? "" : ": ", reason)};
}

}  // namespace sparkprof

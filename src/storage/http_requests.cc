// SPDX-License-Identifier: Apache-2.0
#include "storage/http_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <thread>

#include "base/text/text.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

constexpr std::chrono::milliseconds kTimeout{20'000};
// An overloaded store needs longer pauses than a failing one.
constexpr std::chrono::milliseconds kPauses[] = {std::chrono::milliseconds(200), std::chrono::milliseconds(1'000),
                                                 std::chrono::milliseconds(2'000), std::chrono::milliseconds(4'000),
                                                 std::chrono::milliseconds(8'000)};
constexpr size_t kPausesAfterFailures = 2;
constexpr std::chrono::seconds kLongestAskedPause{10};
constexpr std::chrono::milliseconds kStopCheck{50};
constexpr size_t kMaxQuotedBytes = 300;

bool IsThrottled(unsigned status) { return status == 429 || status == 503; }

bool IsBusy(unsigned status) { return IsThrottled(status) || status == 500 || status == 502 || status == 504; }

// The pause requested by the server, within limits; else `planned`.
std::chrono::milliseconds PauseOf(const HttpResponse& answer, std::chrono::milliseconds planned) {
  const std::optional<int64_t> seconds = ParseInteger(answer.Header("retry-after"));
  if (!seconds || *seconds < 0) return planned;
  return std::chrono::seconds(std::min<int64_t>(*seconds, kLongestAskedPause.count()));
}

// Returns false if stopped.
bool Pause(std::chrono::milliseconds pause, const StorageOptions& options) {
  for (; pause.count() > 0; pause -= kStopCheck) {
    if (options.stop != nullptr && *options.stop) return false;
    std::this_thread::sleep_for(std::min(pause, kStopCheck));
  }
  return true;
}

}  // namespace

Result<HttpResponse> SendPatiently(const StorageRequest& request, const Url& url, const HttpHeaders& headers,
                                   uint64_t max_bytes, const StorageOptions& options) {
  HttpClientOptions client;
  client.timeout = kTimeout;
  client.max_response_bytes = max_bytes;
  client.stop = options.stop;
  Result<HttpResponse> answer = SendHttp(request.method, url, headers, request.body, client);
  for (size_t pause = 0; pause < std::size(kPauses); ++pause) {
    if (answer && !IsBusy(answer->status)) break;
    const bool is_throttled = answer && IsThrottled(answer->status);
    if (pause >= kPausesAfterFailures && !is_throttled) break;
    if (!Pause(is_throttled ? PauseOf(*answer, kPauses[pause]) : kPauses[pause], options)) break;
    answer = SendHttp(request.method, url, headers, request.body, client);
  }
  return answer;
}

Result<HttpResponse> GetPatiently(const Url& url, const HttpHeaders& headers, uint64_t max_bytes,
                                  const StorageOptions& options) {
  return SendPatiently({}, url, headers, max_bytes, options);
}

Error UnexpectedAnswer(const std::string& place, const HttpResponse& answer, std::string_view text) {
  const std::string reason = Shorten(ToOneLine(Trim(text)), kMaxQuotedBytes);
  return Error{fmt::format("{}: status {}{}{}", place, answer.status, reason.empty() ? "" : ": ", reason)};
}

}  // namespace sparkprof

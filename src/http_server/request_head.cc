// SPDX-License-Identifier: Apache-2.0
#include "http_server/request_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"

namespace sparkprof {
namespace {

HeadProblem Invalid(std::string message) { return {400, "invalid HTTP: " + std::move(message)}; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsTokenCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsHostCharacter(char c) {
  return c > ' ' && c < 0x7f && std::string_view("@/\\?#,\"<>").find(c) == std::string_view::npos;
}

std::vector<std::string_view> ValuesOf(const HttpHeaders& headers, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [header, value] : headers) {
    if (header == name) values.emplace_back(value);
  }
  return values;
}

}  // namespace

std::optional<HeadProblem> HeadScanner::CheckLine(std::string_view line) {
  const bool is_request_line = line_ == 0;
  if (is_request_line) return std::nullopt;  // the parser checks it strictly
  if (line.front() == ' ' || line.front() == '\t') return Invalid("a folded header line");
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Invalid("a header line without a colon");
  if (colon == 0 || !std::all_of(line.begin(), line.begin() + static_cast<ptrdiff_t>(colon), IsTokenCharacter)) {
    return Invalid("a header name with other characters than a token has");
  }
  return std::nullopt;
}

std::optional<HeadProblem> HeadScanner::Scan(std::string_view bytes) {
  for (; size_ == 0 && scanned_ < bytes.size(); ++scanned_) {
    if (scanned_ >= max_bytes_) return HeadProblem{431, fmt::format("the head has more than {} bytes", max_bytes_)};
    const char c = bytes[scanned_];
    if (c == '\n') {
      if (scanned_ == line_ || bytes[scanned_ - 1] != '\r') return Invalid("a line that ends without CR");
      const std::string_view line = bytes.substr(line_, scanned_ - 1 - line_);
      if (line.empty()) {
        size_ = scanned_ + 1;
      } else if (std::optional<HeadProblem> problem = CheckLine(line)) {
        return problem;
      }
      line_ = scanned_ + 1;
    } else if (scanned_ > line_ && bytes[scanned_ - 1] == '\r') {
      return Invalid("a CR within a line");
    } else if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r') || c == 0x7f) {
      return Invalid("a control character in the head");
    }
  }
  return std::nullopt;
}

std::optional<HeadProblem> CheckFraming(const HttpHeaders& headers, unsigned version) {
  const bool is_old = version < 11;
  const auto hosts = ValuesOf(headers, "host");
  if (hosts.size() > 1) return Invalid("more than one Host header");
  if (hosts.empty() && !is_old) return Invalid("the Host header is missing");
  if (!hosts.empty() && !std::all_of(hosts[0].begin(), hosts[0].end(), IsHostCharacter)) {
    return Invalid("the Host header is not a host");
  }
  const auto lengths = ValuesOf(headers, "content-length"), codings = ValuesOf(headers, "transfer-encoding");
  if (lengths.size() > 1) return Invalid("more than one Content-Length header");
  if (!lengths.empty() && (lengths[0].empty() || !std::all_of(lengths[0].begin(), lengths[0].end(), IsDigit))) {
    return Invalid("the Content-Length is not a number");
  }
  if (!codings.empty()) {
    if (!lengths.empty()) return Invalid("both Content-Length and Transfer-Encoding");
    if (is_old) return Invalid("Transfer-Encoding in HTTP/1.0");
    if (codings.size() > 1 || ToLowerAscii(std::string(Trim(codings[0]))) != "chunked") {
      return HeadProblem{501, "the only Transfer-Encoding that is supported is chunked"};
    }
  }
  // All recipients decode chunks; a client that lists the coding may have put its Transfer-Encoding here.
  for (const std::string_view value : ValuesOf(headers, "te")) {
    for (const std::string_view coding : Split(value, ',')) {
      if (ToLowerAscii(std::string(Trim(coding.substr(0, coding.find(';'))))) == "chunked") {
        return Invalid("chunked in the TE header");
      }
    }
  }
  return std::nullopt;
}

}  // namespace sparkprof

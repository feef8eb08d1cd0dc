// SPDX-License-Identifier: Apache-2.0
#include "http/url.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <optional>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

Result<uint16_t> ParsePort(std::string_view text) {
  const std::optional<int64_t> port = ParseInteger(text);
  if (!port || *port < 0 || *port > UINT16_MAX) return Fail(fmt::format("invalid port '{}'", text));
  return static_cast<uint16_t>(*port);
}

int HexValue(char c) { return IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

// Removes and returns the host at the start of `text`.
Result<std::string> TakeHost(std::string_view* text) {
  if (text->starts_with('[')) {
    const size_t end = text->find(']');
    if (end == std::string_view::npos) return Fail("'[' without ']'");
    std::string host(text->substr(1, end - 1));
    text->remove_prefix(end + 1);
    return host;
  }
  const size_t end = std::min(text->rfind(':'), text->size());
  std::string host(text->substr(0, end));
  text->remove_prefix(end);
  return host;
}

}  // namespace

std::string Url::Authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (scheme == "https" ? kHttpsPort : kHttpPort) ? name : fmt::format("{}:{}", name, port);
}

Result<Url> ParseUrl(std::string_view text) {
  const auto fail = [text](std::string_view why) {
    return Fail(fmt::format("invalid URL '{}': {}; expected for instance http://127.0.0.1:8320", text, why));
  };
  Url url;
  const size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return fail("the scheme is missing");
  url.scheme = ToLowerAscii(text.substr(0, scheme));
  if (url.scheme != "http" && url.scheme != "https") return fail("only http and https are supported");
  std::string_view rest = text.substr(scheme + 3);
  const size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, path);
  rest.remove_prefix(path);
  rest = rest.substr(0, rest.find('#'));
  if (authority.find('@') != std::string_view::npos) {
    return Fail("invalid URL: user names and passwords are not supported; use a token file");
  }
  Result<std::string> host = TakeHost(&authority);
  if (!host) return fail(host.error().message);
  url.host = std::move(*host);
  if (url.host.empty()) return fail("the host is missing");
  for (const char c : url.host) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '\\') return fail("the host is invalid");
  }
  url.port = url.scheme == "https" ? kHttpsPort : kHttpPort;
  if (authority.starts_with(':')) {
    const Result<uint16_t> port = ParsePort(authority.substr(1));
    if (!port) return fail(port.error().message);
    url.port = *port;
  } else if (!authority.empty()) {
    return fail("unexpected text after the host");
  }
  url.target = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
  return url;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsAlnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHex[byte >> 4];
    encoded += kHex[byte & 15];
  }
  return encoded;
}

Result<std::string> PercentDecode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[at] != '%') {
      decoded += text[at];
    } else if (at + 2 < text.size() && IsHexDigit(text[at + 1]) && IsHexDigit(text[at + 2])) {
      decoded += static_cast<char>(HexValue(text[at + 1]) * 16 + HexValue(text[at + 2]));
      at += 2;
    } else {
      return Fail(fmt::format("'%' without two hexadecimal digits at offset {}", at));
    }
  }
  return decoded;
}

Result<void> ParseTarget(std::string_view target, HttpRequest* request) {
  if (!target.starts_with('/')) return Fail("the request's target does not start with '/'");
  const size_t question = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(1, question - 1);
  if (path.ends_with('/')) path.remove_suffix(1);
  if (!path.empty()) {
    for (const std::string_view part : Split(path, '/')) {
      Result<std::string> segment = PercentDecode(part);
      if (!segment) return tl::unexpected(segment.error());
      if (segment->empty() || *segment == "." || *segment == ".." || segment->find('\0') != std::string::npos) {
        return Fail("invalid segment in the path");
      }
      request->segments.push_back(std::move(*segment));
    }
  }
  if (question + 1 >= target.size()) return {};
  for (const std::string_view part : Split(target.substr(question + 1), '&')) {
    if (part.empty()) continue;
    const size_t equal = std::min(part.find('='), part.size());
    Result<std::string> name = PercentDecode(part.substr(0, equal), true);
    Result<std::string> value = PercentDecode(part.substr(std::min(equal + 1, part.size())), true);
    if (!name) return tl::unexpected(name.error());
    if (!value) return tl::unexpected(value.error());
    request->parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return {};
}

bool ListenAddress::IsLoopback() const {
  if (host == "::1") return true;
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  ListenAddress address;
  std::string_view rest = text;
  if (IsDigits(text)) {
    address.host = "127.0.0.1";
  } else {
    Result<std::string> host = TakeHost(&rest);
    if (!host) return Fail(fmt::format("'{}': {}", text, host.error().message));
    address.host = host->empty() ? "0.0.0.0" : *host == "localhost" ? "127.0.0.1" : std::move(*host);
    if (!rest.starts_with(':'))
      return Fail(fmt::format("'{}': expected ADDRESS:PORT, for instance 127.0.0.1:8320", text));
    rest.remove_prefix(1);
  }
  in6_addr binary{};
  if (inet_pton(AF_INET, address.host.c_str(), &binary) != 1 &&
      inet_pton(AF_INET6, address.host.c_str(), &binary) != 1) {
    return Fail(fmt::format("'{}': expected an IP address and a port, for instance 127.0.0.1:8320", text));
  }
  const Result<uint16_t> port = ParsePort(rest);
  if (!port) return Fail(fmt::format("'{}': {}", text, port.error().message));
  address.port = *port;
  return address;
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "http/http_client.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>

#include "base/text/text.h"

namespace sparkprof {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

const auto kAwait = asio::as_tuple(asio::use_awaitable);

struct Exchange {
  std::string_view method;
  const Url& url;
  const HttpHeaders& headers;
  std::string_view body;
  const HttpClientOptions& options;
  const HttpSink* sink = nullptr;  // sink of Download

  tl::unexpected<Error> Failed(std::string_view what, const error_code& error) const {
    if (error == beast::error::timeout) {
      return Fail(fmt::format("{}://{}: no answer within {} ms", url.scheme, url.Authority(), options.timeout.count()));
    }
    return Fail(fmt::format("{}://{}: {}: {}", url.scheme, url.Authority(), what, error.message()));
  }
};

HttpHeaders HeadersOf(const http::fields& fields) {
  HttpHeaders headers;
  for (const auto& field : fields) {
    headers.emplace_back(ToLowerAscii({field.name_string().data(), field.name_string().size()}),
                         std::string(field.value()));
  }
  return headers;
}

// Reads the response in pieces.
template <typename Stream>
asio::awaitable<Result<HttpResponse>> Receive(Stream& stream, const Exchange& exchange) {
  constexpr size_t kPiece = size_t{64} << 10;
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(exchange.options.max_response_bytes);
  beast::flat_buffer buffer;
  const auto [head_error, head] = co_await http::async_read_header(stream, buffer, parser, kAwait);
  if (head_error) co_return exchange.Failed("cannot read the answer", head_error);
  HttpResponse response;
  response.status = parser.get().result_int();
  response.headers = HeadersOf(parser.get());
  std::string piece(kPiece, '\0'), problem;
  while (!parser.is_done()) {
    beast::get_lowest_layer(stream).expires_after(exchange.options.timeout);
    parser.get().body() = {piece.data(), piece.size(), true};
    const auto [error, got] = co_await http::async_read(stream, buffer, parser, kAwait);
    const std::string_view read = std::string_view(piece).substr(0, piece.size() - parser.get().body().size);
    if (response.status == 200) {
      if (Result<void> taken = (*exchange.sink)(read); !taken) co_return tl::unexpected(taken.error());
    } else if (problem.size() < kPiece) {
      problem += read;
    }
    if (error && error != http::error::need_buffer) co_return exchange.Failed("cannot read the answer", error);
  }
  response.body = std::make_shared<const std::string>(std::move(problem));
  co_return response;
}

template <typename Stream>
asio::awaitable<Result<HttpResponse>> Talk(Stream& stream, const Exchange& exchange) {
  http::request<http::span_body<const char>> request;
  request.version(11);
  request.method_string({exchange.method.data(), exchange.method.size()});
  request.target(exchange.url.target);
  request.set(http::field::host, exchange.url.Authority());
  request.set(http::field::connection, "close");
  for (const auto& [name, value] : exchange.headers) {
    if (IsHeaderName(name)) request.set(name, HeaderValue(value));
  }
  request.body() = {exchange.body.data(), exchange.body.size()};
  if (!exchange.body.empty() || exchange.method == "POST" || exchange.method == "PUT") {
    request.content_length(exchange.body.size());
  }
  const auto [write_error, sent] = co_await http::async_write(stream, request, kAwait);
  if (exchange.sink != nullptr) {
    if (write_error) co_return exchange.Failed("cannot send", write_error);
    co_return co_await Receive(stream, exchange);
  }
  // A server that rejects a body responds before reading it all: its response is more useful than the broken pipe.
  std::optional<http::response_parser<http::string_body>> parser;
  beast::flat_buffer buffer;
  error_code error;
  // Hadoop's DataNodes send an interim response (100 Continue) that nobody expects before the final one.
  do {
    parser.emplace();
    parser->body_limit(exchange.options.max_response_bytes);
    if (exchange.method == "HEAD") parser->skip(true);
    const auto [read_error, got] = co_await http::async_read(stream, buffer, *parser, kAwait);
    error = read_error;
  } while (!error && parser->get().result_int() / 100 == 1);
  if (write_error && error) co_return exchange.Failed("cannot send", write_error);
  // A connection that ends before the first byte of an answer is an error, too: the empty parser has status 200.
  if (error && !parser->is_done()) co_return exchange.Failed("cannot read the answer", error);
  HttpResponse response;
  response.status = parser->get().result_int();
  response.headers = HeadersOf(parser->get());
  response.body = std::make_shared<const std::string>(std::move(parser->get().body()));
  co_return response;
}

asio::awaitable<Result<HttpResponse>> Converse(Exchange exchange) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto [resolve_error, addresses] =
      co_await resolver.async_resolve(exchange.url.host, std::to_string(exchange.url.port), kAwait);
  if (resolve_error) co_return exchange.Failed("cannot find the host", resolve_error);
  beast::tcp_stream plain(executor);
  plain.expires_after(exchange.options.timeout);
  const auto [connect_error, endpoint] = co_await plain.async_connect(addresses, kAwait);
  if (connect_error) co_return exchange.Failed("cannot connect", connect_error);
  if (exchange.url.scheme == "http") co_return co_await Talk(plain, exchange);

  asio::ssl::context context(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  error_code error;
  if (exchange.options.certificate_authorities.empty()) {
    context.set_default_verify_paths(error);
  } else {
    context.load_verify_file(exchange.options.certificate_authorities, error);
  }
  if (error) co_return exchange.Failed("cannot read the certificate authorities", error);
  beast::ssl_stream<beast::tcp_stream> stream(std::move(plain), context);
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification(exchange.url.host));
  SSL_set_tlsext_host_name(stream.native_handle(), exchange.url.host.c_str());
  const auto [handshake_error] = co_await stream.async_handshake(asio::ssl::stream_base::client, kAwait);
  if (handshake_error) co_return exchange.Failed("TLS failed", handshake_error);
  co_return co_await Talk(stream, exchange);
}

// `limit`: timeout of the whole exchange; without it, each step has a timeout.
Result<HttpResponse> Run(const Exchange& exchange, std::optional<std::chrono::milliseconds> limit) {
  const Url& url = exchange.url;
  const HttpClientOptions& options = exchange.options;
  asio::io_context io(1);
  Result<HttpResponse> result =
      Fail(fmt::format("{}://{}: no answer within {} ms", url.scheme, url.Authority(), options.timeout.count()));
  std::exception_ptr thrown;
  asio::co_spawn(io, Converse(exchange), [&](const std::exception_ptr& exception, Result<HttpResponse> got) {
    thrown = exception;
    if (!exception) result = std::move(got);
  });
  constexpr std::chrono::milliseconds kStopCheck{100};
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = limit ? Clock::now() + *limit : Clock::time_point::max();
  while (!io.stopped() && Clock::now() < deadline) {
    if (options.stop != nullptr && *options.stop) {
      return Fail(fmt::format("{}://{}: the request was aborted", url.scheme, url.Authority()));
    }
    io.run_until(std::min(deadline, Clock::now() + kStopCheck));
  }
  if (thrown) std::rethrow_exception(thrown);
  return result;
}

}  // namespace

Result<HttpResponse> SendHttp(std::string_view method, const Url& url, const HttpHeaders& headers,
                              std::string_view body, const HttpClientOptions& options) {
  return Run({method, url, headers, body, options}, options.timeout);
}

Result<HttpResponse> Download(const Url& url, const HttpHeaders& headers, const HttpSink& sink,
                              const HttpClientOptions& options) {
  return Run({"GET", url, headers, {}, options, &sink}, std::nullopt);
}

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "http_server/http_server.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <thread>

#include "base/text.h"

namespace sparkprof {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kStopPatience{3};
constexpr std::chrono::seconds kDrainPatience{2};
constexpr uint64_t kDrainBytes = 64 << 20;
constexpr size_t kDrainPiece = 16 << 10;
// Of a body whose length the client does not tell.
constexpr uint64_t kUnknownLength = 8 << 20;

const auto kAwait = asio::as_tuple(asio::use_awaitable);

using Clock = std::chrono::steady_clock;

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpHandler* handler)
      : options_(options), handler_(handler), acceptor_(io_), workers_(options.threads) {}

  Result<void> Open() {
    if (!options_.certificate_file.empty()) {
      if (Result<void> loaded = LoadCertificate(); !loaded) return loaded;
    }
    error_code error;
    const auto address = asio::ip::make_address(options_.address.host, error);
    if (error) return Fail(fmt::format("{}: not an IP address", options_.address.host));
    const tcp::endpoint endpoint(address, options_.address.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (error) {
      return Fail(fmt::format("cannot listen on {}:{}: {}; choose another address with --listen", options_.address.host,
                              options_.address.port, error.message()));
    }
    return {};
  }

  uint16_t Port() const override { return port_; }

  void Run() override {
    asio::co_spawn(io_, Accept(), asio::detached);
    io_.run();
    workers_.join();
  }

  void Stop() override {
    asio::post(io_, [this] {
      stopping_ = true;
      error_code ignored;
      acceptor_.close(ignored);
      asio::co_spawn(io_, EndSoon(), asio::detached);
    });
  }

  HttpServerCounters Counters() const override {
    return {connections_.load(), requests_.load(), refused_.load(), timeouts_.load(), bytes_in_flight_.load()};
  }

 private:
  // Gives bytes of the budget back when it goes.
  class Reservation {
   public:
    Reservation(std::atomic<uint64_t>* used, uint64_t bytes) : used_(used), bytes_(bytes) { *used_ += bytes_; }
    ~Reservation() { *used_ -= bytes_; }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

   private:
    std::atomic<uint64_t>* used_;
    uint64_t bytes_;
  };

  Result<void> LoadCertificate() {
    tls_.emplace(asio::ssl::context::tls_server);
    error_code error;
    tls_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                          asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1,
                      error);
    if (!error) tls_->use_certificate_chain_file(options_.certificate_file, error);
    if (error)
      return Fail(fmt::format("{}: cannot read the certificate: {}", options_.certificate_file, error.message()));
    tls_->use_private_key_file(options_.key_file, asio::ssl::context::pem, error);
    if (error) return Fail(fmt::format("{}: cannot read the private key: {}", options_.key_file, error.message()));
    if (SSL_CTX_check_private_key(tls_->native_handle()) != 1) {
      return Fail(fmt::format("{}: the key does not belong to the certificate {}", options_.key_file,
                              options_.certificate_file));
    }
    return {};
  }

  asio::awaitable<void> Accept() {
    asio::steady_timer pause(io_);
    while (!stopping_) {
      if (connections_ >= options_.max_connections) {
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(kAwait);
        continue;
      }
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (stopping_) break;
      if (error) {  // no descriptors are left, or the client has gone
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(kAwait);
        continue;
      }
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      ++connections_;
      asio::co_spawn(io_, Connection(std::move(socket)), [this](const std::exception_ptr&) { --connections_; });
    }
  }

  // Ends the loop once no request runs, or when patience ends.
  asio::awaitable<void> EndSoon() {
    asio::steady_timer pause(io_);
    const auto until = std::chrono::steady_clock::now() + kStopPatience;
    while (running_ > 0 && std::chrono::steady_clock::now() < until) {
      pause.expires_after(std::chrono::milliseconds(10));
      co_await pause.async_wait(kAwait);
    }
    io_.stop();
  }

  asio::awaitable<void> Connection(tcp::socket socket) {
    error_code ignored;
    const tcp::endpoint peer = socket.remote_endpoint(ignored);
    const std::string address = peer.address().to_string();
    if (tls_) {
      beast::ssl_stream<beast::tcp_stream> stream(beast::tcp_stream(std::move(socket)), *tls_);
      beast::get_lowest_layer(stream).expires_after(options_.grace);
      const auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, kAwait);
      if (error) co_return;
      co_await Serve(stream, address, true);
      beast::get_lowest_layer(stream).expires_after(std::chrono::seconds(1));
      co_await stream.async_shutdown(kAwait);
    } else {
      beast::tcp_stream stream(std::move(socket));
      co_await Serve(stream, address, false);
      stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
  }

  // The requests of one connection.
  template <typename Stream>
  asio::awaitable<void> Serve(Stream& stream, const std::string& peer, bool is_encrypted) {
    beast::flat_buffer buffer(size_t{options_.max_header_bytes} + (size_t{64} << 10));
    while (!stopping_) {
      HttpRequest request;
      request.peer = peer;
      request.is_encrypted = is_encrypted;
      http::request_parser<http::string_body> parser;
      parser.header_limit(options_.max_header_bytes);
      parser.body_limit(boost::none);
      beast::get_lowest_layer(stream).expires_after(options_.idle_timeout);
      const auto [error, got] = co_await http::async_read_header(stream, buffer, parser, kAwait);
      if (error) {
        if (error == beast::error::timeout) ++timeouts_;
        if (error.category() == http::make_error_code(http::error::bad_method).category() &&
            error != http::error::end_of_stream && error != http::error::partial_message) {
          ++refused_;
          const unsigned status = error == http::error::header_limit ? 431 : 400;
          co_await Send(stream, handler_->Refuse(status, fmt::format("invalid HTTP: {}", error.message())), false,
                        false);
        }
        co_return;
      }
      ++requests_;
      const bool keep_alive = parser.get().keep_alive() && !stopping_;
      const bool is_head = parser.get().method() == http::verb::head;
      const unsigned version = parser.get().version();
      std::optional<HttpResponse> refusal = TakeHead(parser.get(), &request);
      std::optional<Reservation> reservation;
      if (!refusal) refusal = Admit(parser, request, &reservation);
      if (refusal) {
        // The body is not read, so that the connection cannot be used again.
        const bool has_body = !parser.is_done();
        if (!co_await Send(stream, *refusal, is_head, keep_alive && !has_body)) co_return;
        if (has_body) co_await Drain(stream, &buffer);
        if (!keep_alive || has_body) co_return;
        continue;
      }
      if (!parser.is_done()) {
        if (!co_await ReadBody(stream, &buffer, &parser)) co_return;
      }
      request.body = std::move(parser.get().body());
      ++running_;
      const HttpResponse response = co_await Answer(std::move(request));
      reservation.reset();  // the body is gone; the client may already ask for the counters when it has the answer
      const bool sent = response.stream ? co_await SendPieces(stream, response, is_head, keep_alive, version)
                                        : co_await Send(stream, response, is_head, keep_alive);
      --running_;
      if (!sent) co_return;
      if (!keep_alive) co_return;
    }
  }

  std::optional<HttpResponse> TakeHead(const http::request<http::string_body>& head, HttpRequest* request) {
    request->method = std::string(head.method_string());
    if (request->method == "HEAD") request->method = "GET";
    for (const auto& field : head) {
      request->headers.emplace_back(ToLowerAscii({field.name_string().data(), field.name_string().size()}),
                                    std::string(field.value()));
    }
    const Result<void> parsed = ParseTarget({head.target().data(), head.target().size()}, request);
    if (parsed) return std::nullopt;
    ++refused_;
    return handler_->Refuse(400, parsed.error().message);
  }

  // A refusal, or a reservation for the body.
  std::optional<HttpResponse> Admit(http::request_parser<http::string_body>& parser, const HttpRequest& request,
                                    std::optional<Reservation>* reservation) {
    const HttpAdmission admission = handler_->Admit(request);
    if (admission.refusal) return admission.refusal;
    const uint64_t length = parser.content_length() ? *parser.content_length() : parser.chunked() ? kUnknownLength : 0;
    const bool too_long = parser.content_length() && length > admission.max_body_bytes;
    if (too_long) {
      ++refused_;
      return handler_->Refuse(
          413, fmt::format("the body has {} bytes, at most {} are allowed", length, admission.max_body_bytes));
    }
    if (length > 0 && bytes_in_flight_ + length > options_.max_bytes_in_flight) {
      ++refused_;
      return handler_->Refuse(429, "too many requests at once; send it again later");
    }
    if (running_ >= options_.max_waiting) {
      ++refused_;
      return handler_->Refuse(503, "the server is busy; send it again later");
    }
    reservation->emplace(&bytes_in_flight_, length);
    parser.body_limit(
        std::max<uint64_t>(1, parser.content_length() ? length : std::min(kUnknownLength, admission.max_body_bytes)));
    return std::nullopt;
  }

  // Until when a client that has taken or sent so many bytes may be silent. Those that are still to come do not count:
  // a long body that trickles would keep its memory for hours.
  Clock::time_point Deadline(Clock::time_point begin, uint64_t bytes) const {
    return begin + options_.grace + std::chrono::seconds(bytes / options_.min_bytes_per_second);
  }

  // False: the connection is of no more use.
  template <typename Stream>
  asio::awaitable<bool> ReadBody(Stream& stream, beast::flat_buffer* buffer,
                                 http::request_parser<http::string_body>* parser) {
    auto& lowest = beast::get_lowest_layer(stream);
    const Clock::time_point begin = Clock::now();
    lowest.expires_at(Deadline(begin, 0));
    if (beast::iequals(parser->get()[http::field::expect], "100-continue")) {
      http::response<http::empty_body> go_on(http::status::continue_, 11);
      const auto [error, sent] = co_await http::async_write(stream, go_on, kAwait);
      if (error) co_return false;
    }
    error_code error;
    for (uint64_t received = 0; !error && !parser->is_done();) {
      lowest.expires_at(Deadline(begin, received));
      const auto [problem, got] = co_await http::async_read_some(stream, *buffer, *parser, kAwait);
      error = problem;
      received += got;
    }
    if (!error) co_return true;
    if (error == beast::error::timeout) ++timeouts_;
    if (error == http::error::body_limit) {
      ++refused_;
      co_await Send(stream, handler_->Refuse(413, "the body is too long"), false, false);
    }
    co_return false;
  }

  // Drops some of what a refused client still sends: closing the connection at once would take the answer from it.
  template <typename Stream>
  asio::awaitable<void> Drain(Stream& stream, beast::flat_buffer* buffer) {
    auto& lowest = beast::get_lowest_layer(stream);
    error_code ignored;
    lowest.socket().shutdown(tcp::socket::shutdown_send, ignored);
    lowest.expires_after(kDrainPatience);
    for (uint64_t dropped = 0; dropped < kDrainBytes;) {
      buffer->clear();
      const auto [error, got] = co_await stream.async_read_some(buffer->prepare(kDrainPiece), kAwait);
      if (error) break;
      dropped += got;
    }
  }

  // Answers on a thread of the pool.
  asio::awaitable<HttpResponse> Answer(HttpRequest request) {
    ++running_;
    const auto shared = std::make_shared<const HttpRequest>(std::move(request));
    HttpResponse response = co_await asio::co_spawn(workers_, AnswerThere(shared), asio::use_awaitable);
    --running_;
    co_return response;
  }

  asio::awaitable<HttpResponse> AnswerThere(std::shared_ptr<const HttpRequest> request) {
    std::string problem;
    try {
      co_return handler_->Answer(*request);
    } catch (const std::exception& exception) {
      problem = exception.what();
    }
    co_return handler_->Refuse(500, "internal error: " + problem);
  }

  // Like Send, for a body that is made while it is sent: in chunks, or, for clients of HTTP/1.0, up to the end of the
  // connection.
  template <typename Stream>
  asio::awaitable<bool> SendPieces(Stream& stream, const HttpResponse& response, bool is_head, bool keep_alive,
                                   unsigned version) {
    const bool is_chunked = version >= 11;
    http::response<http::empty_body> head(static_cast<http::status>(response.status), 11);
    for (const auto& [name, value] : response.headers) head.insert(name, value);
    head.chunked(is_chunked);
    head.keep_alive(keep_alive && is_chunked);
    auto& lowest = beast::get_lowest_layer(stream);
    lowest.expires_at(Deadline(Clock::now(), 0));
    http::response_serializer<http::empty_body> serializer(head);
    error_code error;
    std::tie(error, std::ignore) = co_await http::async_write_header(stream, serializer, kAwait);
    bool is_complete = is_head;
    while (!error && !is_complete) {
      const Result<std::string> piece =
          co_await asio::co_spawn(workers_, NextPiece(&response.stream), asio::use_awaitable);
      if (!piece) co_return false;
      is_complete = piece->empty();
      lowest.expires_at(Deadline(Clock::now(), piece->size()));
      if (!is_chunked) {
        std::tie(error, std::ignore) = co_await asio::async_write(stream, asio::buffer(*piece), kAwait);
      } else if (is_complete) {
        std::tie(error, std::ignore) = co_await asio::async_write(stream, http::make_chunk_last(), kAwait);
      } else {
        std::tie(error, std::ignore) =
            co_await asio::async_write(stream, http::make_chunk(asio::buffer(*piece)), kAwait);
      }
    }
    if (error == beast::error::timeout) ++timeouts_;
    co_return !error && (is_chunked || is_head);
  }

  asio::awaitable<Result<std::string>> NextPiece(const HttpBodyStream* body) {
    try {
      std::string piece;
      if (Result<void> made = (*body)(&piece); !made) co_return tl::unexpected(made.error());
      co_return piece;
    } catch (const std::exception& exception) {
      co_return Fail(exception.what());
    }
  }

  template <typename Stream>
  asio::awaitable<bool> Send(Stream& stream, const HttpResponse& response, bool is_head, bool keep_alive) {
    http::response<http::span_body<const char>> message(static_cast<http::status>(response.status), 11);
    for (const auto& [name, value] : response.headers) message.insert(name, value);
    message.keep_alive(keep_alive);
    const std::string_view body = response.Body();
    message.content_length(body.size());
    if (!is_head) message.body() = {body.data(), body.size()};
    auto& lowest = beast::get_lowest_layer(stream);
    const Clock::time_point begin = Clock::now();
    lowest.expires_at(Deadline(begin, 0));
    http::response_serializer<http::span_body<const char>> serializer(message);
    error_code error;
    if (is_head) {
      std::tie(error, std::ignore) = co_await http::async_write_header(stream, serializer, kAwait);
    }
    for (uint64_t sent = 0; !is_head && !error && !serializer.is_done();) {
      lowest.expires_at(Deadline(begin, sent));
      const auto [problem, count] = co_await http::async_write_some(stream, serializer, kAwait);
      error = problem;
      sent += count;
    }
    if (error == beast::error::timeout) ++timeouts_;
    co_return !error;
  }

  HttpServerOptions options_;
  HttpHandler* handler_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  std::optional<asio::ssl::context> tls_;
  asio::thread_pool workers_;
  uint16_t port_ = 0;
  bool stopping_ = false;  // only on the thread of io_
  size_t running_ = 0;     // only on the thread of io_: requests between their body and the end of their answer
  std::atomic<uint64_t> connections_ = 0, requests_ = 0, refused_ = 0, timeouts_ = 0, bytes_in_flight_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const HttpServerOptions& options, HttpHandler* handler) {
  auto server = std::make_unique<BeastServer>(options, handler);
  if (Result<void> opened = server->Open(); !opened) return tl::unexpected(opened.error());
  return server;
}

}  // namespace sparkprof

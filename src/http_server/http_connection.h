// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "http_server/connection_table.h"
#include "http_server/http_server_state.h"
#include "http_server/request_head.h"

namespace sparkprof {

// Requires a client to receive or send min_bytes_per_second on average over each `grace`. Earlier periods do not count:
// a body that starts fast and then stalls would hold its memory for hours.
class HttpPace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit HttpPace(const HttpServerOptions& options)
      : grace_(options.grace), needed_(options.min_bytes_per_second * static_cast<uint64_t>(options.grace.count())) {}

  Clock::time_point Deadline() const { return begin_ + grace_; }
  void Move(uint64_t bytes) {
    moved_ += bytes;
    if (moved_ < needed_) return;
    moved_ = 0;
    begin_ = Clock::now();
  }

 private:
  std::chrono::seconds grace_;
  uint64_t needed_;
  uint64_t moved_ = 0;
  Clock::time_point begin_ = Clock::now();
};

// Serves the requests of one connection. `Stream`: beast::tcp_stream, or TLS on it.
template <typename Stream>
class HttpConnection {
 public:
  HttpConnection(HttpServerState* server, Stream* stream, ConnectionTable::Connection* place, std::string peer,
                 bool is_encrypted)
      : server_(*server), stream_(*stream), place_(*place), peer_(std::move(peer)), is_encrypted_(is_encrypted) {}

  // Runs until the client or the server ends the connection.
  boost::asio::awaitable<void> Serve() {
    while (!server_.stopping && !place_.is_evicted) {
      place_.Change(ConnectionTable::State::kIdle);
      const bool goes_on = co_await ServeRequest();
      if (!goes_on) co_return;
    }
  }

 private:
  using ErrorCode = boost::system::error_code;
  using State = ConnectionTable::State;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  static constexpr size_t kReadBytes = 16 << 10;
  static constexpr uint64_t kFirstBodyBytes = 64 << 10;
  static constexpr std::chrono::seconds kDrainPatience{2};
  static constexpr uint64_t kDrainBytes = 64 << 20;

  // Counts a request while it is received or answered.
  class Running {
   public:
    explicit Running(size_t* count) : count_(count) { ++*count_; }
    ~Running() { --*count_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    size_t* count_;
  };

  auto& Lowest() { return boost::beast::get_lowest_layer(stream_); }

  // Returns false if the connection cannot be reused.
  Awaitable<bool> ServeRequest() {
    namespace http = boost::beast::http;
    Parser parser;
    parser.header_limit(server_.options.max_header_bytes);
    parser.body_limit(boost::none);
    const bool has_head = co_await ReadHead(&parser);
    if (!has_head) co_return false;
    ++server_.requests;
    HttpRequest request;
    version_ = parser.get().version();
    is_head_ = parser.get().method() == http::verb::head;
    keep_alive_ = parser.get().keep_alive() && !server_.stopping;
    TakeHead(parser.get(), &request);
    if (const std::optional<HeadProblem> problem = CheckFraming(request.headers, version_)) {
      co_return co_await RefuseAndClose(problem->status, problem->message);
    }
    HttpAdmission admission;
    if (const Result<void> parsed = ParseTarget(Text(parser.get().target()), &request); !parsed) {
      admission.refusal = Refusal(400, parsed.error().message);
    } else {
      admission = server_.handler->Admit(request);
    }
    if (!admission.client.empty()) place_.client = admission.client;
    if (parser.content_length().value_or(0) > admission.max_body_bytes && !admission.refusal) {
      admission.refusal = TooLong(fmt::format("{} bytes", *parser.content_length()), admission.max_body_bytes);
    }
    if (admission.refusal) {
      // The body is not read, so the connection cannot be reused.
      if (parser.is_done()) co_return co_await Send(*admission.refusal);
      co_return co_await SendAndClose(*admission.refusal);
    }
    if (!parser.is_done()) {
      const bool has_body = co_await ReadBody(&parser, admission.max_body_bytes, &request.body);
      if (!has_body) co_return false;
    }
    const Running running(&server_.running);
    const HttpLane lane = admission.lane_of == nullptr ? admission.lane : admission.lane_of(request);
    HttpResponse response = co_await Answer(std::move(request), lane);
    // The body is released first: the client may request the counters as soon as it has the answer.
    server_.connections.Release(&place_, ConnectionMemory::kRequests);
    server_.Publish();
    if (response.stream) co_return co_await SendPieces(std::move(response));
    co_return co_await Send(response);
  }

  static std::string_view Text(boost::beast::string_view text) { return {text.data(), text.size()}; }

  HttpResponse Refusal(unsigned status, const std::string& message) {
    ++server_.refused;
    return server_.handler->Refuse(status, message);
  }

  HttpResponse TooLong(std::string_view size, uint64_t limit) {
    return Refusal(413, fmt::format("the body has {}, at most {} bytes are allowed", size, limit));
  }

  // Returns false if the connection has ended or the head was rejected.
  Awaitable<bool> ReadHead(Parser* parser) {
    namespace http = boost::beast::http;
    HeadScanner scanner(server_.options.max_header_bytes);
    Lowest().expires_after(server_.options.idle_timeout);
    while (true) {
      const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
      if (const std::optional<HeadProblem> problem = scanner.Scan(bytes)) {
        co_return co_await RefuseAndClose(problem->status, problem->message);
      }
      if (scanner.Size() > 2) break;
      if (scanner.Size() == 2) {  // empty line before the request, which old clients send after a body
        buffer_.consume(2);
        scanner = HeadScanner(server_.options.max_header_bytes);
        continue;
      }
      const auto [error, got] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kAwait);
      buffer_.commit(got);
      if (error == boost::beast::error::timeout) ++server_.timeouts;
      if (error || place_.is_evicted) co_return false;
    }
    ErrorCode error;
    buffer_.consume(parser->put(buffer_.data(), error));
    if (!error && !parser->is_header_done()) error = http::error::partial_message;
    if (!error) co_return true;
    const unsigned status = error == http::error::header_limit ? 431 : 400;
    co_return co_await RefuseAndClose(status, fmt::format("invalid HTTP: {}", error.message()));
  }

  void TakeHead(const Parser::value_type& head, HttpRequest* request) {
    request->peer = peer_;
    request->is_encrypted = is_encrypted_;
    request->method = is_head_ ? "GET" : std::string(Text(head.method_string()));
    for (const auto& field : head) {
      request->headers.emplace_back(ToLowerAscii(Text(field.name_string())), std::string(Text(field.value())));
    }
  }

  // Reserves memory as the body arrives. Returns false if the connection has ended or the body was rejected.
  Awaitable<bool> ReadBody(Parser* parser, uint64_t max_bytes, std::string* body) {
    namespace http = boost::beast::http;
    place_.Change(State::kMoving);
    HttpPace pace(server_.options);
    Lowest().expires_at(pace.Deadline());
    if (boost::beast::iequals(parser->get()[http::field::expect], "100-continue")) {
      http::response<http::empty_body> go_on(http::status::continue_, 11);
      const auto [error, sent] = co_await http::async_write(stream_, go_on, kAwait);
      if (error || place_.is_evicted) co_return false;
    }
    // One extra byte shows that a chunked body is too long.
    const uint64_t limit = parser->content_length().value_or(max_bytes + 1);
    size_t used = 0;
    while (!parser->is_done()) {
      if (used == body->size()) {
        const uint64_t size = std::min(limit, std::max<uint64_t>(kFirstBodyBytes, uint64_t{used} * 2));
        if (!server_.connections.Hold(&place_, ConnectionMemory::kRequests, size - used)) {
          co_return co_await RefuseAndClose(429, "too many requests at once; send it again later");
        }
        server_.Publish();
        body->resize(size);
      }
      auto& to = parser->get().body();
      to.data = body->data() + used;
      to.size = body->size() - used;
      const size_t room = to.size;
      Lowest().expires_at(pace.Deadline());
      const auto [error, got] = co_await http::async_read_some(stream_, buffer_, *parser, kAwait);
      used += room - to.size;
      pace.Move(got);
      place_.Move(got);
      if (place_.is_evicted) co_return co_await RefuseAndClose(429, "the body arrives too slowly; send it again later");
      if (used > max_bytes) co_return co_await SendAndClose(TooLong("more", max_bytes));
      if (!error || error == http::error::need_buffer) continue;
      if (error == boost::beast::error::timeout) ++server_.timeouts;
      const bool is_invalid = error.category() == http::make_error_code(http::error::bad_chunk).category() &&
                              error != http::error::partial_message && error != http::error::end_of_stream;
      if (!is_invalid) co_return false;
      co_return co_await RefuseAndClose(400, fmt::format("invalid HTTP: {}", error.message()));
    }
    body->resize(used);
    co_return true;
  }

  Awaitable<HttpResponse> Answer(HttpRequest request, HttpLane lane) {
    place_.Change(State::kWorking);
    HttpResponse response;
    HttpHandler* const handler = server_.handler;
    std::function<void()> work = [&response, &request, handler] {
      std::string problem = "unknown exception";
      try {
        response = handler->Answer(request);
        request = {};
        return;
      } catch (const std::exception& exception) {
        problem = exception.what();
      } catch (...) {
      }
      try {
        response = handler->Refuse(500, "internal error: " + problem);
      } catch (...) {  // out of memory
        response = {};
        response.status = 500;
      }
    };
    const bool is_answered = co_await server_.RunOn(server_.Lane(lane), place_.client, std::move(work));
    if (!is_answered) response = Refusal(503, "the server is busy; send it again later");
    co_return response;
  }

  // The only place that writes headers: their texts may come from a sender of recordings.
  template <typename Message>
  void SetHeaders(const HttpResponse& response, bool keep_alive, Message* message) {
    message->version(11);
    message->result(response.status);
    for (const auto& [name, value] : response.headers) {
      if (IsHeaderName(name)) message->insert(name, HeaderValue(value));
    }
    if (is_encrypted_) message->insert("Strict-Transport-Security", "max-age=31536000");
    message->keep_alive(keep_alive);
  }

  // Returns false if the connection cannot be reused.
  Awaitable<bool> Send(const HttpResponse& response) {
    namespace http = boost::beast::http;
    place_.Change(State::kMoving);
    http::response<http::span_body<const char>> message;
    SetHeaders(response, keep_alive_, &message);
    const std::string_view body = response.Body();
    message.content_length(body.size());
    if (!is_head_) message.body() = {body.data(), body.size()};
    // A shared body stays in memory without this client.
    if (response.body.use_count() == 1) HoldAnswer(body.size());
    HttpPace pace(server_.options);
    http::response_serializer<http::span_body<const char>> serializer(message);
    ErrorCode error;
    Lowest().expires_at(pace.Deadline());
    if (is_head_) std::tie(error, std::ignore) = co_await http::async_write_header(stream_, serializer, kAwait);
    while (!is_head_ && !error && !serializer.is_done() && !place_.is_evicted) {
      Lowest().expires_at(pace.Deadline());
      const auto [problem, sent] = co_await http::async_write_some(stream_, serializer, kAwait);
      error = problem;
      pace.Move(sent);
      place_.Move(sent);
    }
    co_return EndAnswer(error) && keep_alive_;
  }

  // Sends a streamed body: chunked, or up to the end of the connection for HTTP/1.0 clients.
  Awaitable<bool> SendPieces(HttpResponse response) {
    namespace asio = boost::asio;
    namespace http = boost::beast::http;
    place_.Change(State::kMoving);
    const bool is_chunked = version_ >= 11;
    http::response<http::empty_body> head;
    SetHeaders(response, keep_alive_ && is_chunked, &head);
    head.chunked(is_chunked);
    HttpPace pace(server_.options);
    Lowest().expires_at(pace.Deadline());
    http::response_serializer<http::empty_body> serializer(head);
    ErrorCode error;
    std::tie(error, std::ignore) = co_await http::async_write_header(stream_, serializer, kAwait);
    bool is_complete = is_head_;
    while (!error && !is_complete && !place_.is_evicted) {
      std::string piece;
      const bool is_made = co_await MakePiece(&response.stream, &piece);
      if (!is_made) co_return false;
      is_complete = piece.empty();
      HoldAnswer(piece.size());
      pace = HttpPace(server_.options);
      Lowest().expires_at(pace.Deadline());
      if (!is_chunked) {
        std::tie(error, std::ignore) = co_await asio::async_write(stream_, asio::buffer(piece), kAwait);
      } else if (is_complete) {
        std::tie(error, std::ignore) = co_await asio::async_write(stream_, http::make_chunk_last(), kAwait);
      } else {
        std::tie(error, std::ignore) =
            co_await asio::async_write(stream_, http::make_chunk(asio::buffer(piece)), kAwait);
      }
      server_.connections.Release(&place_, ConnectionMemory::kAnswers);
    }
    co_return EndAnswer(error) && keep_alive_ && (is_chunked || is_head_);
  }

  Awaitable<bool> MakePiece(const HttpBodyStream* body, std::string* piece) {
    place_.Change(State::kWorking);
    bool is_made = false;
    std::function<void()> work = [body, piece, &is_made] {
      try {
        is_made = (*body)(piece).has_value();
      } catch (...) {  // the client detects the incomplete body
      }
    };
    const bool has_run = co_await server_.RunOn(server_.PieceLane(), place_.client, std::move(work));
    place_.Change(State::kMoving);
    co_return has_run&& is_made;
  }

  void HoldAnswer(uint64_t bytes) {
    (void)server_.connections.Hold(&place_, ConnectionMemory::kAnswers, bytes);
    server_.Publish();
  }

  bool EndAnswer(const ErrorCode& error) {
    server_.connections.Release(&place_, ConnectionMemory::kAnswers);
    if (error == boost::beast::error::timeout) ++server_.timeouts;
    return !error && !place_.is_evicted;
  }

  Awaitable<bool> RefuseAndClose(unsigned status, const std::string& message) {
    co_return co_await SendAndClose(Refusal(status, message));
  }

  // Always returns false. Discards some of the remaining input: closing the connection immediately would discard the
  // answer.
  Awaitable<bool> SendAndClose(HttpResponse response) {
    place_.is_evicted = false;  // the connection closes on its own after the answer
    server_.connections.Release(&place_, ConnectionMemory::kRequests);
    server_.Publish();
    keep_alive_ = false;
    co_await Send(response);
    response = {};
    ErrorCode ignored;
    Lowest().socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    Lowest().expires_after(kDrainPatience);
    place_.Change(State::kIdle);
    for (uint64_t dropped = 0; dropped < kDrainBytes && !place_.is_evicted;) {
      buffer_.clear();
      const auto [error, got] = co_await stream_.async_read_some(buffer_.prepare(kReadBytes), kAwait);
      if (error) break;
      dropped += got;
    }
    co_return false;
  }

  HttpServerState& server_;
  Stream& stream_;
  ConnectionTable::Connection& place_;
  std::string peer_;
  bool is_encrypted_;
  boost::beast::flat_buffer buffer_{size_t{server_.options.max_header_bytes} + 2 * kReadBytes};
  // State of the current request.
  unsigned version_ = 11;
  bool is_head_ = false;
  bool keep_alive_ = false;
};

}  // namespace sparkprof

// SPDX-License-Identifier: Apache-2.0
#include "http_server/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/io/file.h"
#include "http/http_client.h"

namespace sparkprof {
namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr int kBrokenPieces = 13;  // the fourth of so many pieces fails

constexpr uint64_t kLargeBytes = 64 << 20;
constexpr size_t kBigBytes = 16 << 20;

// Answers with what it got; "/quick" and "/chosen" with the body "quick" from the lane of quick requests; "/large"
// takes kLargeBytes, "/big" has kBigBytes.
// "/wait" is answered once `release` is set. "/pieces/N" has N pieces of kPieceBytes.
class EchoHandler : public HttpHandler {
 public:
  HttpAdmission Admit(const HttpRequest& head) override {
    if (!head.segments.empty() && head.segments[0] == "forbidden") return {.refusal = Refuse(403, "forbidden")};
    HttpAdmission admission{.refusal = std::nullopt, .max_body_bytes = 1000};
    if (!head.segments.empty() && head.segments[0] == "large") admission.max_body_bytes = kLargeBytes;
    if (!head.segments.empty() && head.segments[0] == "quick") admission.lane = HttpLane::kQuick;
    if (!head.segments.empty() && head.segments[0] == "chosen") {
      admission.lane_of = [](const HttpRequest& request) {
        return request.body == "quick" ? HttpLane::kQuick : HttpLane::kCompute;
      };
    }
    admission.client = head.Header("x-client");
    return admission;
  }
  HttpResponse Answer(const HttpRequest& request) override {
    if (!request.segments.empty() && request.segments[0] == "throw") throw std::runtime_error("broken");
    if (!request.segments.empty() && request.segments[0] == "wait") {
      entered.set_value();
      released.wait();
    }
    if (!request.segments.empty() && request.segments[0] == "headers") return WithHostileHeaders();
    if (request.segments.size() == 2 && request.segments[0] == "pieces") return Pieces(std::stoi(request.segments[1]));
    if (!request.segments.empty() && request.segments[0] == "big") {
      return MakeResponse(200, "text/plain", std::string(kBigBytes, 'x'));
    }
    if (!request.segments.empty() && request.segments[0] == "large") {
      return MakeResponse(200, "text/plain", std::to_string(request.body.size()));
    }
    std::string text = request.method;
    for (const std::string& segment : request.segments) text += "/" + segment;
    return MakeResponse(200, "text/plain", text + " " + request.body);
  }
  HttpResponse Refuse(unsigned status, const std::string& message) override {
    return MakeResponse(status, "text/plain", message);
  }

  static HttpResponse WithHostileHeaders() {
    HttpResponse response = MakeResponse(200, "text/plain", "body");
    response.headers.emplace_back("x-a", "1\r\nX-Injected: 2\r\n\r\n<script>");
    response.headers.emplace_back("x-b", std::string("3\n4\0\x1b", 5));
    response.headers.emplace_back("x-c\r\nX-Injected", "5");
    response.headers.emplace_back("", "6");
    return response;
  }

  HttpResponse Pieces(int count) {
    HttpResponse response = MakeResponse(200, "text/plain", "");
    response.stream = [this, count, next = 0](std::string* piece) mutable -> Result<void> {
      if (next == 3 && count == kBrokenPieces) return Fail("broken");
      if (next == count) return {};
      piece->assign(kPieceBytes, static_cast<char>('a' + next++ % 26));
      ++pieces;
      return {};
    };
    return response;
  }

  std::atomic<int> pieces = 0;
  std::promise<void> entered;
  std::promise<void> release;
  std::shared_future<void> released{release.get_future()};
};

class HttpServerTest : public testing::Test {
 protected:
  void Start(HttpServerOptions options = {}) {
    options.address = {"127.0.0.1", 0};
    Result<std::unique_ptr<HttpServer>> server = HttpServer::Listen(options, &handler_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->Run(); });
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
  }
  Result<HttpResponse> Send(std::string_view method, const std::string& target, std::string_view body = {}) {
    return SendHttp(method, {"http", "127.0.0.1", server_->Port(), target}, {}, body);
  }
  FileDescriptor Connect() const {
    FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->Port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return socket;
  }
  std::vector<FileDescriptor> ConnectMany(int count, std::string_view bytes) const {
    std::vector<FileDescriptor> sockets;
    for (int i = 0; i < count; ++i) {
      sockets.push_back(Connect());
      EXPECT_TRUE(WriteAll(sockets.back().Get(), bytes, "socket"));
    }
    return sockets;
  }
  // Sends bytes as they are and returns all that comes back until the server closes.
  std::string Raw(std::string_view bytes) const {
    const FileDescriptor socket = Connect();
    EXPECT_TRUE(WriteAll(socket.Get(), bytes, "socket"));
    shutdown(socket.Get(), SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (ssize_t got; (got = read(socket.Get(), buffer, sizeof(buffer))) > 0;)
      answer.append(buffer, static_cast<size_t>(got));
    return answer;
  }

  EchoHandler handler_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST_F(HttpServerTest, AnswersWhatTheHandlerSays) {
  Start();
  const Result<HttpResponse> response = Send("POST", "/a/b%20c", "body");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200U);
  EXPECT_EQ(response->Body(), "POST/a/b c body");
  EXPECT_EQ(response->Header("content-type"), "text/plain");
}

TEST_F(HttpServerTest, ATextInAHeaderAddsNoOther) {
  Start();
  const std::string answer = Raw("GET /headers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string head = answer.substr(0, answer.find("\r\n\r\n"));
  EXPECT_NE(head.find("\r\nx-a: 1  X-Injected: 2    <script>\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("\r\nx-b: 3 4"), std::string::npos) << head;
  EXPECT_EQ(head.find("\nX-Injected"), std::string::npos) << head;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nbody")) << answer;
}

TEST_F(HttpServerTest, RefusesBeforeItReadsTheBody) {
  Start();
  const std::string large(2000, 'x');
  const Result<HttpResponse> forbidden = Send("POST", "/forbidden", large), too_large = Send("POST", "/a", large);
  ASSERT_TRUE(forbidden && too_large);
  EXPECT_EQ(forbidden->status, 403U);
  EXPECT_EQ(too_large->status, 413U);
}

TEST_F(HttpServerTest, ClientsGetTheRefusalOfALargeBody) {
  Start();
  const std::string large(size_t{20} << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    const Result<HttpResponse> refused = Send("POST", "/forbidden", large);
    ASSERT_TRUE(refused) << refused.error().message;
    EXPECT_EQ(refused->status, 403U);
  }
}

TEST_F(HttpServerTest, RefusesChunkedBodiesThatBecomeTooLong) {
  Start();
  std::string request = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int chunk = 0; chunk < 20; ++chunk) request += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_NE(Raw(request + "0\r\n\r\n").find(" 413 "), std::string::npos);
}

TEST_F(HttpServerTest, AsksForBodiesThatWait) {
  Start();
  const std::string answer =
      Raw("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nbody");
  EXPECT_NE(answer.find("100 Continue"), std::string::npos);
  EXPECT_NE(answer.find("POST/a body"), std::string::npos);
}

TEST_F(HttpServerTest, AnswersSeveralRequestsOfOneConnection) {
  Start();
  const std::string answer = Raw("GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(answer.find("GET/first"), std::string::npos);
  EXPECT_NE(answer.find("GET/second"), std::string::npos);
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  Start();
  const std::string answer = Raw("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 6"), std::string::npos);
  EXPECT_EQ(answer.find("GET/a"), std::string::npos);
}

TEST_F(HttpServerTest, SendsABodyInPieces) {
  Start();
  const Result<HttpResponse> response = Send("GET", "/pieces/40");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->Header("transfer-encoding"), "chunked");
  ASSERT_EQ(response->Body().size(), 40 * kPieceBytes);
  EXPECT_EQ(response->Body()[0], 'a');
  EXPECT_EQ(response->Body()[30 * kPieceBytes], 'e');
}

TEST_F(HttpServerTest, KeepsTheConnectionAfterABodyInPieces) {
  Start();
  const std::string answer = Raw("GET /pieces/2 HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(answer.find("0\r\n\r\nHTTP/1.1 200"), std::string::npos);
  EXPECT_NE(answer.find("GET/next"), std::string::npos);
}

TEST_F(HttpServerTest, MakesNoPiecesForHead) {
  Start();
  const std::string answer = Raw("HEAD /pieces/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  EXPECT_EQ(handler_.pieces, 0);
}

TEST_F(HttpServerTest, EndsTheConnectionAfterPiecesForAnOldClient) {
  Start();
  const std::string answer = Raw("GET /pieces/2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(answer.find("chunked"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + std::string(kPieceBytes, 'a') + std::string(kPieceBytes, 'b')));
}

TEST_F(HttpServerTest, ABodyWhosePieceFailsIsIncomplete) {
  Start();
  const std::string answer = Raw("GET /pieces/13 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.find("0\r\n\r\n"), std::string::npos);
  EXPECT_EQ(Send("GET", "/a")->status, 200U);
}

TEST_F(HttpServerTest, MakesNoMorePiecesThanTheClientTakes) {
  Start({.min_bytes_per_second = 1 << 20, .grace = std::chrono::seconds(1)});
  const FileDescriptor socket = Connect();
  ASSERT_TRUE(WriteAll(socket.Get(), "GET /pieces/100000 HTTP/1.1\r\nHost: x\r\n\r\n", "socket"));
  while (server_->Counters().timeouts == 0) EXPECT_EQ(Send("GET", "/a")->status, 200U);
  // The kernel holds some MiB for both sides; the whole body has 6 GiB.
  EXPECT_LT(handler_.pieces, 1000);
}

TEST_F(HttpServerTest, RefusesBrokenRequests) {
  Start();
  EXPECT_NE(Raw("nonsense\r\n\r\n").find(" 400 "), std::string::npos);
  EXPECT_NE(Raw("GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n").find(" 400 "), std::string::npos);
  EXPECT_NE(Raw("GET / HTTP/1.1\r\nHost: x\r\nLong: " + std::string(100'000, 'x') + "\r\n\r\n").find(" 431 "),
            std::string::npos);
  EXPECT_EQ(server_->Counters().refused, 3U);
}

TEST_F(HttpServerTest, RefusesRequestsThatAProxyMayReadDifferently) {
  Start();
  const std::string line = "POST /a HTTP/1.1\r\n", chunks = "\r\n4\r\nbody\r\n0\r\n\r\n";
  for (const std::string& request : {
           line + "\r\n",
           line + "Host: x\r\nHost: x\r\n\r\n",
           line + "Host: x\r\nHost: y\r\nContent-Length: 0\r\n\r\n",
           line + "Host: x\r\nA: b\r\n c\r\n\r\n",
           line + "Host: x\r\nA : b\r\n\r\n",
           line + "Host: x\nA: b\r\n\r\n",
           line + "Host: x\r\nA: b\rC: d\r\n\r\n",
           std::string("POST /a HTTP/1.1\nHost: x\n\n"),
           line + "Host: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n" + chunks,
           line + "Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n" + chunks,
           line + "Host: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
           line + "Host: x\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody",
           line + "Host: x\r\nContent-Length: 4, 4\r\n\r\nbody",
           line + "Host: x\r\nContent-Length: +4\r\n\r\nbody",
           line + "Host: x\r\nContent-Length: 99999999999999999999\r\n\r\nbody",
           line + "Host: x\r\nTE: gzip, chunked\r\n\r\n",
           std::string("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n") + chunks,
           std::string("GET /a HTTP/2.0\r\nHost: x\r\n\r\n"),
           std::string("GET  /a HTTP/1.1\r\nHost: x\r\n\r\n"),
           line + "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n4\nbody\r\n0\r\n\r\n",
           line + "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n0x4\r\nbody\r\n0\r\n\r\n",
           line + "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbodyxx0\r\n\r\n",
           line + "Host: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nbody\r\n0\r\n\r\n",
       }) {
    const std::string answer = Raw(request + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << request << answer;
    EXPECT_EQ(answer.find("smuggled"), std::string::npos) << request << answer;
  }
  for (const std::string coding : {"gzip, chunked", "chunked, gzip", "gzip", "identity", "chunked, chunked"}) {
    const std::string answer = Raw(line + "Host: x\r\nTransfer-Encoding: " + coding + "\r\n" + chunks);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 501 ")) << coding << answer;
  }
}

TEST_F(HttpServerTest, AcceptsUnusualRequestsThatAreClear) {
  Start();
  EXPECT_NE(Raw("POST /a HTTP/1.1\r\nhost:x\r\nTRANSFER-ENCODING: Chunked\r\n\r\n4;a=b\r\nbody\r\n0\r\nT: x\r\n\r\n")
                .find("POST/a body"),
            std::string::npos);
  EXPECT_NE(Raw("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
                .find("GET/b"),
            std::string::npos);
  EXPECT_NE(Raw("GET /a HTTP/1.0\r\n\r\n").find("GET/a"), std::string::npos);
}

TEST_F(HttpServerTest, AnswersQuickRequestsWhileAllThreadsAreBusy) {
  Start({.threads = 1});
  std::future<Result<HttpResponse>> busy = std::async(std::launch::async, [this] { return Send("GET", "/wait"); });
  handler_.entered.get_future().wait();
  const std::vector<FileDescriptor> waiting = ConnectMany(20, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(Send("GET", "/quick")->status, 200U);
  EXPECT_EQ(Send("POST", "/chosen", "quick")->status, 200U);
  handler_.release.set_value();
  EXPECT_EQ(busy.get()->status, 200U);
}

TEST_F(HttpServerTest, OneClientLeavesAThreadToTheOthers) {
  Start({.threads = 2});
  std::future<Result<HttpResponse>> busy = std::async(std::launch::async, [this] { return Send("GET", "/wait"); });
  handler_.entered.get_future().wait();
  const std::vector<FileDescriptor> waiting = ConnectMany(20, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  const Result<HttpResponse> other =
      SendHttp("GET", {"http", "127.0.0.1", server_->Port(), "/a"}, {{"x-client", "other"}}, {});
  EXPECT_EQ(other->status, 200U);
  EXPECT_GT(server_->Counters().waiting, 0U);
  handler_.release.set_value();
  EXPECT_EQ(busy.get()->status, 200U);
}

TEST_F(HttpServerTest, AnnouncedBodiesReserveNothingBeforeTheyArrive) {
  Start();
  const std::string head = "POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(kLargeBytes);
  const std::vector<FileDescriptor> senders = ConnectMany(100, head + "\r\n\r\nx");
  const Result<HttpResponse> response = Send("POST", "/large", std::string(10 << 20, 'x'));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200U);
  EXPECT_EQ(response->Body(), std::to_string(10 << 20));
  EXPECT_LT(server_->Counters().bytes_in_flight, 10U << 20);
}

TEST_F(HttpServerTest, BodiesThatStopGiveTheirMemoryToOthers) {
  Start({.max_bytes_in_flight = 4 << 20});
  const std::string head = "POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n";
  const std::vector<FileDescriptor> senders = ConnectMany(1, head + std::string(1'900'000, 'x'));
  while (server_->Counters().bytes_in_flight < 2'000'000)
    std::this_thread::yield();  // nearly all that one client may have
  unsigned status = 429;
  for (int tries = 0; status == 429 && tries < 300; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // as a client does after 429
    status = Send("POST", "/large", std::string(1 << 20, 'x'))->status;
  }
  EXPECT_EQ(status, 200U);
  EXPECT_GT(server_->Counters().evicted, 0U);
}

TEST_F(HttpServerTest, SlowReadersGiveTheMemoryOfTheirAnswersToOthers) {
  Start({.max_answer_bytes = 4 * kBigBytes});
  const std::vector<FileDescriptor> readers = ConnectMany(8, "GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int tries = 0; server_->Counters().evicted < 5 && tries < 300; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(Send("GET", "/big")->Body().size(), kBigBytes);
  }
  EXPECT_GE(server_->Counters().evicted, 5U);
}

TEST_F(HttpServerTest, ABodyOfAnyShapeArrivesWhole) {
  Start();
  std::string chunks = "POST /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int chunk = 0; chunk < 3000; ++chunk) chunks += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_NE(Raw(chunks + "0\r\n\r\n").find("\r\n\r\n300000"), std::string::npos);
  for (const size_t size : {0, 1, 65'535, 65'536, 65'537, 200'000}) {
    EXPECT_EQ(Send("POST", "/large", std::string(size, 'x'))->Body(), std::to_string(size));
  }
  EXPECT_EQ(Send("POST", "/a", std::string(1000, 'x'))->status, 200U);
  EXPECT_EQ(server_->Counters().bytes_in_flight, 0U);
}

TEST_F(HttpServerTest, NewConnectionsTakeThePlaceOfIdleOnes) {
  Start({.max_connections = 8});
  const std::vector<FileDescriptor> idle = ConnectMany(50, "GET /a HTTP/1.1\r\n");
  EXPECT_EQ(Send("GET", "/a")->status, 200U);
  EXPECT_LE(server_->Counters().connections, 8U);
  EXPECT_GE(server_->Counters().evicted, 42U);
}

TEST_F(HttpServerTest, ServesMoreConnectionsThanItHasDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 256;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Start();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  const std::vector<FileDescriptor> idle = ConnectMany(300, "GET /a HTTP/1.1\r\n");
  EXPECT_EQ(Send("GET", "/a")->status, 200U);
  EXPECT_LE(server_->Counters().connections, 128U);
}

TEST_F(HttpServerTest, SurvivesExceptionsOfTheHandler) {
  Start();
  const Result<HttpResponse> response = Send("GET", "/throw");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 500U);
  EXPECT_EQ(Send("GET", "/a")->status, 200U);
}

TEST_F(HttpServerTest, RefusesMoreThanItCanHold) {
  Start({.max_bytes_in_flight = 10});
  const Result<HttpResponse> response = Send("POST", "/a", "more than ten bytes");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 429U);
  EXPECT_EQ(Send("POST", "/a", "few")->status, 200U);
  EXPECT_EQ(server_->Counters().bytes_in_flight, 0U);
}

TEST_F(HttpServerTest, DisconnectsSilentClients) {
  Start({.idle_timeout = std::chrono::seconds(1)});
  const FileDescriptor socket = Connect();
  char byte = 0;
  EXPECT_EQ(read(socket.Get(), &byte, 1), 0);
}

TEST_F(HttpServerTest, DisconnectsClientsWhoseBodyTrickles) {
  // 1,000 bytes may take 1,000 s at this rate, but not if they do not come.
  Start({.min_bytes_per_second = 1, .grace = std::chrono::seconds(1)});
  const FileDescriptor socket = Connect();
  ASSERT_TRUE(WriteAll(socket.Get(), "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx", "socket"));
  char byte = 0;
  EXPECT_EQ(read(socket.Get(), &byte, 1), 0);
  // The answer comes after the count: one thread does both.
  EXPECT_EQ(Send("POST", "/a", "body")->status, 200U);
  EXPECT_EQ(server_->Counters().timeouts, 1U);
}

TEST_F(HttpServerTest, LetsRunningRequestsEndWhenItStops) {
  Start();
  std::future<Result<HttpResponse>> response = std::async(std::launch::async, [this] { return Send("GET", "/wait"); });
  handler_.entered.get_future().wait();
  server_->Stop();
  handler_.release.set_value();
  thread_.join();
  const Result<HttpResponse> got = response.get();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->status, 200U);
}

TEST(HttpClientTest, NamesTheHostThatDoesNotAnswer) {
  const Result<HttpResponse> response = SendHttp("GET", {"http", "127.0.0.1", 1, "/"}, {}, {});
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().message.find("http://127.0.0.1:1: cannot connect"), std::string::npos);
}

TEST(HttpServerListenTest, NamesTheFileThatIsNoCertificate) {
  EchoHandler handler;
  HttpServerOptions options{.address = {"127.0.0.1", 0}};
  options.certificate_file = options.key_file = "/dev/null";
  const Result<std::unique_ptr<HttpServer>> server = HttpServer::Listen(options, &handler);
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("/dev/null"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof

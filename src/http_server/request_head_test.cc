// SPDX-License-Identifier: Apache-2.0
#include "http_server/request_head.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr size_t kMaxBytes = 1000;

// "431", "400", or the size of the head, 0 while it is not complete; whatever the pieces in which it arrives.
std::string Scan(const std::string& bytes) {
  HeadScanner whole(kMaxBytes), in_pieces(kMaxBytes);
  std::optional<HeadProblem> problem = whole.Scan(bytes), problem_in_pieces;
  for (size_t size = 1; size <= bytes.size() && !problem_in_pieces; ++size) {
    problem_in_pieces = in_pieces.Scan(std::string_view(bytes).substr(0, size));
  }
  EXPECT_EQ(problem.has_value(), problem_in_pieces.has_value()) << bytes;
  EXPECT_EQ(whole.Size(), in_pieces.Size()) << bytes;
  return problem ? std::to_string(problem->status) : std::to_string(whole.Size());
}

TEST(HeadScannerTest, FindsTheEndOfAHead) {
  EXPECT_EQ(Scan(""), "0");
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nHost: x\r\n"), "0");
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nHost: x\r\n\r"), "0");
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "27");
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nHost: x\r\n\r\nbody\nin\rany form\x01"), "27");
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nTab:\ta\tb \xc3\xa4\r\n\r\n"), "31");
  EXPECT_EQ(Scan("GET / HTTP/1.0\r\n\r\n"), "18");
  EXPECT_EQ(Scan("\r\nGET"), "2");
}

TEST(HeadScannerTest, RefusesLinesThatProgramsReadDifferently) {
  const std::string line = "GET / HTTP/1.1\r\n";
  for (const std::string bad : {
           "Host: x\n",
           "Host: x\r\r\n",
           "Host: x\rA: b\r\n",
           "A: b\r\n folded\r\n",
           "A: b\r\n\tfolded\r\n",
           " A: b\r\n",
           "Host : x\r\n",
           "Host\t: x\r\n",
           ": x\r\n",
           "Host x\r\n",
           "Ho st: x\r\n",
           "H(): x\r\n",
           "A: \x01\r\n",
           "A: \x7f\r\n",
           "A\x80: b\r\n",
           "\r \n",
       }) {
    EXPECT_EQ(Scan(line + bad), "400") << bad;
  }
  EXPECT_EQ(Scan(line + "A: b" + std::string(1, '\0') + "\r\n"), "400");
  EXPECT_EQ(Scan("GET / HTTP/1.1\n"), "400");
  EXPECT_EQ(Scan("\n"), "400");
  EXPECT_EQ(Scan("\x16\x03\x01\x02"), "400");  // TLS to a port without it
}

TEST(HeadScannerTest, RefusesLongHeads) {
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nA: " + std::string(2 * kMaxBytes, 'x')), "431");
  EXPECT_EQ(Scan(std::string(kMaxBytes + 1, 'x')), "431");
  EXPECT_EQ(Scan("GET / HTTP/1.1\r\nA: " + std::string(kMaxBytes - 23, 'x') + "\r\n\r\n"), std::to_string(kMaxBytes));
}

unsigned StatusOf(const HttpHeaders& headers, unsigned version = 11) {
  const std::optional<HeadProblem> problem = CheckFraming(headers, version);
  return problem ? problem->status : 200;
}

TEST(FramingTest, AcceptsWhatClientsSend) {
  EXPECT_EQ(StatusOf({{"host", "x:80"}}), 200U);
  EXPECT_EQ(StatusOf({{"host", "[::1]:8320"}, {"content-length", "12"}}), 200U);
  EXPECT_EQ(StatusOf({{"host", ""}, {"transfer-encoding", " Chunked"}}), 200U);
  EXPECT_EQ(StatusOf({{"host", "x"}, {"te", "trailers, gzip;q=0.5"}}), 200U);
  EXPECT_EQ(StatusOf({}, 10), 200U);
}

TEST(FramingTest, RefusesHostsThatAreNotOne) {
  EXPECT_EQ(StatusOf({}), 400U);
  EXPECT_EQ(StatusOf({{"host", "x"}, {"host", "x"}}), 400U);
  EXPECT_EQ(StatusOf({{"host", "x"}, {"host", "y"}}, 10), 400U);
  for (const char* host : {"x y", "user@x", "x/y", "x, y", "x#", "x?", "x\\y"}) {
    EXPECT_EQ(StatusOf({{"host", host}}), 400U) << host;
  }
}

TEST(FramingTest, RefusesBodiesWithoutOneClearEnd) {
  const auto status = [](HttpHeaders headers, unsigned version = 11) {
    headers.emplace_back("host", "x");
    return StatusOf(headers, version);
  };
  EXPECT_EQ(status({{"content-length", "3"}, {"content-length", "3"}}), 400U);
  EXPECT_EQ(status({{"content-length", "3"}, {"content-length", "4"}}), 400U);
  for (const char* length : {"", "3, 3", "+3", "-3", "0x3", "3 3", "3.0"}) {
    EXPECT_EQ(status({{"content-length", length}}), 400U) << length;
  }
  EXPECT_EQ(status({{"content-length", "3"}, {"transfer-encoding", "chunked"}}), 400U);
  EXPECT_EQ(status({{"transfer-encoding", "chunked"}}, 10), 400U);
  for (const char* coding : {"gzip, chunked", "chunked, gzip", "gzip", "identity", "chunked, chunked", "chunked;a=b",
                             "xchunked", "chunked,", "", "\"chunked\""}) {
    EXPECT_EQ(status({{"transfer-encoding", coding}}), 501U) << coding;
  }
  EXPECT_EQ(status({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}}), 501U);
  EXPECT_EQ(status({{"te", "gzip, chunked"}}), 400U);
}

}  // namespace
}  // namespace sparkprof

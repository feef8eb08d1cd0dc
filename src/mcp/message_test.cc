// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(MessageTest, RequestsKeepTheirIdAsItIsWritten) {
  const McpMessage number = ParseMcpMessage(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  EXPECT_EQ(number.kind, McpMessageKind::kRequest);
  EXPECT_EQ(number.id, "7");
  EXPECT_EQ(number.method, "ping");
  EXPECT_EQ(number.params, "{}");
  EXPECT_EQ(ParseMcpMessage(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})").id, R"("a\"b")");
}

TEST(MessageTest, MessagesWithoutAnIdAreNotifications) {
  const McpMessage message = ParseMcpMessage(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(message.kind, McpMessageKind::kNotification);
  EXPECT_EQ(message.id, "");
}

TEST(MessageTest, ResponsesOfTheClientAreNoRequests) {
  EXPECT_EQ(ParseMcpMessage(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, McpMessageKind::kResponse);
}

TEST(MessageTest, WhatIsNotAMessageIsRefusedWithTheCodeOfItsError) {
  EXPECT_EQ(ParseMcpMessage("{").error_code, kParseError);
  EXPECT_EQ(ParseMcpMessage("\xff\xfe").error_code, kParseError);
  EXPECT_EQ(ParseMcpMessage("7").error_code, kInvalidRequest);
  EXPECT_EQ(ParseMcpMessage(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])").error_code, kInvalidRequest);
  EXPECT_EQ(ParseMcpMessage(R"({"id":1,"method":"ping"})").error_code, kInvalidRequest);
  EXPECT_EQ(ParseMcpMessage(R"({"jsonrpc":"2.0","id":1})").error_code, kInvalidRequest);
  EXPECT_EQ(ParseMcpMessage(R"({"jsonrpc":"2.0","id":1,"method":"a","params":[1]})").error_code, kInvalidRequest);
  EXPECT_EQ(ParseMcpMessage(std::string(100'000, '[')).kind, McpMessageKind::kInvalid);
  EXPECT_EQ(ParseMcpMessage(std::string(kMaxMessageBytes + 1, ' ')).error_code, kInvalidRequest);
}

TEST(MessageTest, AMessageThatIsTooLongIsRefusedUnderItsId) {
  const std::string filling(kMaxMessageBytes, 'A');
  const auto id_of = [](const std::string& text) {
    const McpMessage message = ParseMcpMessage(text);
    EXPECT_EQ(message.kind, McpMessageKind::kInvalid);
    EXPECT_EQ(message.error_code, kInvalidRequest);
    return message.id;
  };
  const std::string params = R"("params":{"id":1,"x":["id",{"id":2}],"text":"\",\"id\":3,)" + filling + "\"}";
  EXPECT_EQ(id_of(R"({"jsonrpc":"2.0","id":7,"method":"ping",)" + params + "}"), "7");
  EXPECT_EQ(id_of("{" + params + R"( , "id" : "a\"b,c" })"), R"("a\"b,c")");
  EXPECT_EQ(id_of("{" + params + "}"), "null");
  EXPECT_EQ(id_of(R"({"id":null,)" + params + "}"), "null");
  EXPECT_EQ(id_of(R"({"id":")" + filling + R"(","a":1})"), "null");
  EXPECT_EQ(id_of(R"([{"id":7,)" + params + "}]"), "null");
}

TEST(MessageTest, ARefusalHasTheIdWhereItIsKnown) {
  EXPECT_EQ(ParseMcpMessage(R"({"id":4,"method":"ping"})").id, "4");
  EXPECT_EQ(ParseMcpMessage(R"({"jsonrpc":"2.0","id":null,"method":"ping"})").id, "null");
  EXPECT_EQ(ParseMcpMessage(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})").id, "null");
}

TEST(MessageTest, ACancellationNamesTheRequestByItsIdOfEitherKind) {
  const auto id = [](const std::string& params) {
    return CancelledRequest(
        ParseMcpMessage(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)" + params + "}"));
  };
  EXPECT_EQ(id(R"({"requestId":3})"), "3");
  EXPECT_EQ(id(R"({"requestId":"3"})"), "\"3\"");
  EXPECT_EQ(id("{}"), "");
}

}  // namespace
}  // namespace sparkprof
